// SourceItem: what reading a source file gives, in the order of the file; and FileProgress: how far one file
// is read, and is known to be right.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "manifest/reject.hpp"
#include "model/finding.hpp"
#include "shard/sample_grouper.hpp"

namespace shardmill::pipeline {

/// Larger members are left out. The limit is the same for all runs, so that results do not depend on the
/// bound on memory.
inline constexpr std::uint64_t kMemberLimitBytes = std::uint64_t{256} << 20;

/// An utterance that a corpus names and that could not be read. Its dataset and source are filled in when it
/// is measured.
inline manifest::Reject lost_utterance(std::string key, manifest::RejectReason reason, std::string problem) {
  manifest::Reject lost;
  lost.key = std::move(key);
  lost.reason = reason;
  lost.problem = std::move(problem);
  return lost;
}

/// Damage of the compressed data, or of a manifest.
struct Damage {
  Error error;
  std::uint64_t bytes = 0;  // bytes of the file that are useless, from the offset of the error; 0: not known
  /// Where the plain tar may be wrong before it.
  std::optional<manifest::Reject::ByteRange> doubtful{};
  bool of_listing = false;  // the damage is not in the shard, but in the manifest that lists its samples
};

/// What reading gives: a sample, something odd in the tar, damage, or an utterance that is lost.
using SourceItem = std::variant<shard::GroupedSample, ShardFinding, Damage, manifest::Reject>;

struct FileNumber {
  std::uint32_t stream = 0;
  std::uint64_t file = 0;  // in the stream

  auto operator<=>(const FileNumber&) const = default;
};

struct FileProgress {
  FileNumber number{};
  /// Where a piece of it ends: no checksum has confirmed the plain bytes from here on.
  std::optional<std::uint64_t> unchecked_from{};
  bool is_read = false;  // to its end
};

}  // namespace shardmill::pipeline
