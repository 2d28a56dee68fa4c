// TarEnd: what stands behind the two zero blocks that end a tar.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "model/shard_finding.hpp"

namespace shardmill::archive {

class TarEnd {
 public:
  /// The two zero blocks begin at `offset`.
  void begin(std::uint64_t offset) { offset_ = offset; }
  /// More bytes come behind them; the first one at `offset`.
  void add(std::span<const std::byte> bytes, std::uint64_t offset);
  /// What is odd about them in a tar of so many bytes: other bytes than zeros, or more zeros than fill it up.
  std::optional<ShardFinding> finding(std::uint64_t tar_bytes) const;

 private:
  std::optional<std::uint64_t> offset_;
  std::optional<std::uint64_t> data_;  // the first byte that is not zero
};

}  // namespace shardmill::archive
