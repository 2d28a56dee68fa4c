// How much memory one sample takes on its way from its source to its shard, against the bound the user gave.
#pragma once

#include <cstdint>
#include <string>

#include "audio/transform.hpp"
#include "shard/sample_grouper.hpp"
#include "source/source_file.hpp"

namespace shardmill::pipeline {

/// What a sample takes: more than once its bytes, because it is there as it came and as it is packed, and a
/// transcript also as part of records and lines. About what was measured, for samples of many megabytes.
std::uint64_t needed_bytes(const shard::GroupedSample& sample, const audio::WantedForm& form);
/// What the samples of a recording take that are copied whole, `bytes` in all.
std::uint64_t needed_bytes(std::uint64_t bytes, const audio::WantedForm& form);

/// Throws Error, with the bound that would do, when one sample needs more than `memory_bytes`.
void check_memory(std::uint64_t needed, std::uint64_t memory_bytes, const std::string& path,
                  const std::string& key);

}  // namespace shardmill::pipeline
