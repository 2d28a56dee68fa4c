// SourceItem: what reading a source file gives, in the order of the file.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "base/error.hpp"
#include "manifest/reject.hpp"
#include "model/shard_finding.hpp"
#include "shard/sample_grouper.hpp"

namespace shardmill::pipeline {

/// A member larger than this is left out: one bound for all runs, so that results do not depend on --memory.
inline constexpr std::uint64_t kMemberLimitBytes = std::uint64_t{256} << 20;

/// An utterance that a corpus names and that could not be got.
struct LostUtterance {
  std::string key;
  manifest::RejectReason reason{};
  std::string problem;
};

/// Of the compressed data.
struct Damage {
  Error error;
  std::uint64_t bytes = 0;  // of the file that are of no use, from the offset of the error on; 0: not known
  bool of_listing = false;  // not of the shard itself, but of what lists its samples
};

/// A sample, something odd in the tar, damage, or an utterance that is not there.
using SourceItem = std::variant<shard::GroupedSample, ShardFinding, Damage, LostUtterance>;

}  // namespace shardmill::pipeline
