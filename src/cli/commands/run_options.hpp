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

/// What --max-rejects says: a number, or all. Throws UsageError for anything else.
std::uint64_t parse_max_rejects(const std::string& given);

/// Tests make checkpoints come often, with SHARDMILL_CHECKPOINT_BYTES. Throws UsageError when that makes no
/// sense.
pipeline::CheckpointInterval checkpoints();

}  // namespace shardmill::cli
