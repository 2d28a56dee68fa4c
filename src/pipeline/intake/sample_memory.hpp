// How much memory a sample takes on its way from source to shard, compared with the user's bound.
#pragma once

#include <cstdint>
#include <string>

#include "audio/transform.hpp"
#include "shard/sample_grouper.hpp"
#include "source/source_file.hpp"

namespace shardmill::pipeline {

/// The memory that a sample takes. It is more than its bytes, because the original and the packed form exist
/// at the same time, and a transcript is also in records and lines. Measured with samples of many megabytes.
std::uint64_t needed_bytes(const shard::GroupedSample& sample, const audio::WantedForm& form);
/// The same for a sample that is still being read: it takes that much at least.
std::uint64_t needed_bytes(const shard::ComingSample& sample, const audio::WantedForm& form);
/// The memory that samples of a recording take if they are copied as a whole; they have `bytes` bytes in all.
std::uint64_t needed_bytes(std::uint64_t bytes, const audio::WantedForm& form);

/// A round bound on memory of at least `bytes`, as an option takes it: "128MiB".
std::string enough_memory(std::uint64_t bytes);

/// Throws Error, which names a sufficient bound, when one sample needs more than `memory_bytes`.
void check_memory(std::uint64_t needed, std::uint64_t memory_bytes, const std::string& path,
                  const std::string& key);

}  // namespace shardmill::pipeline
