// Keys that come again: within one shard, and between all shards of a run.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/sample.hpp"
#include "pipeline/key_set.hpp"

namespace shardmill::check {

/// The keys of one shard. One thread.
class ShardKeys {
 public:
  enum class Repeat {
    none,
    apart,  // more members of a sample that stood further ahead
    again,  // another sample of the same key
  };

  Repeat add(const Sample& sample);
  /// All keys, each once and followed by a zero byte.
  std::string take_keys() { return std::move(keys_); }

 private:
  pipeline::KeySet seen_keys_;
  pipeline::KeySet seen_members_;
  std::string keys_;
};

/// Finds the keys that come in more than one shard. Exact, and what is found does not depend on the order in
/// which shards are handed in. Memory: 16 to 32 bytes a key, and the keys of shards that wait for one before
/// them.
class KeyLedger {
 public:
  /// Called for a key that an earlier shard had, in the order of the shards.
  using OnDuplicate = std::function<void(std::size_t shard, std::string_view key)>;

  KeyLedger(std::size_t shards, OnDuplicate on_duplicate)
      : waiting_(shards), on_duplicate_(std::move(on_duplicate)) {}

  /// Each shard exactly once. Thread-safe.
  void hand_in(std::size_t shard, std::string keys);

 private:
  void settle(std::size_t shard, std::string_view keys);

  std::mutex mutex_;
  std::vector<std::optional<std::string>> waiting_;
  std::size_t next_ = 0;  // the first shard that was not handed in
  pipeline::KeySet seen_;
  OnDuplicate on_duplicate_;
};

}  // namespace shardmill::check
