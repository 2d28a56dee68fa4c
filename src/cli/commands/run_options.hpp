// Options of the commands that write datasets: repack and update.
#pragma once

#include <boost/program_options/value_semantic.hpp>
#include <cstdint>
#include <string>

#include "cli/command_line.hpp"
#include "pipeline/mill.hpp"

namespace shardmill::cli {

boost::program_options::typed_value<std::string>* text_option(const std::string& name);

/// Whether --memory was given.
pipeline::MemoryBound memory_bound(const CommonOptions& common);

/// The value of --max-rejects: a number, or all. Throws UsageError for anything else.
std::uint64_t parse_max_rejects(const std::string& given);

/// The environment variable SHARDMILL_CHECKPOINT_BYTES makes checkpoints frequent, for tests. Throws
/// UsageError if it is not a size of at least 1.
pipeline::CheckpointInterval checkpoints();

}  // namespace shardmill::cli
