// Finds keys that are repeated, within one shard and between all shards of a run.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shard/key_set.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::check {

/// The keys of one shard. One thread at a time.
class ShardKeys {
 public:
  enum class Repeat {
    none,
    apart,  // more members of a sample whose other members came earlier
    again,  // another sample with the same key
  };

  Repeat add(const Sample& sample);
  /// All keys, each once and followed by a zero byte. Empties the object.
  std::string take_keys() { return std::move(keys_); }

 private:
  shard::KeySet seen_keys_;
  shard::KeySet seen_members_;
  std::string keys_;
};

/// Finds keys that are in more than one shard. The result is exact, and does not depend on the order in which
/// shards are handed in. Memory: 16 to 32 bytes for each key, and the keys of shards that wait for an earlier
/// one.
class KeyLedger {
 public:
  /// Called for each key that an earlier shard also had, in the order of the shards.
  using OnDuplicate = std::function<void(std::size_t shard, std::string_view key)>;

  KeyLedger(std::size_t shards, OnDuplicate on_duplicate)
      : waiting_(shards), on_duplicate_(std::move(on_duplicate)) {}

  /// Call this once for each shard. Thread-safe.
  void hand_in(std::size_t shard, std::string keys);

 private:
  void settle(std::size_t shard, std::string_view keys);

  std::mutex mutex_;
  std::vector<std::optional<std::string>> waiting_;
  std::size_t next_ = 0;  // the first shard that has not been handed in
  shard::KeySet seen_;
  OnDuplicate on_duplicate_;
};

}  // namespace shardmill::check
