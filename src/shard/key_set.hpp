// KeySet: the set of keys that are taken. It keeps 128-bit hashes: 50 million keys of any length take about
// 1.1 GB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/hash/hash.hpp"
#include "base/io/file.hpp"

namespace shardmill::shard {

/// One thread at a time.
class KeySet {
 public:
  KeySet();

  /// False if the key is already in the set.
  bool insert(std::string_view key) { return insert(base::xxh3_128(base::as_bytes(key))); }
  bool insert(const base::Xxh128& key_hash);
  bool contains(std::string_view key) const;
  std::size_t size() const noexcept { return size_; }

 private:
  std::size_t slot_of(const base::Xxh128& key_hash) const;
  void grow();

  std::vector<base::Xxh128> slots_;  // open addressing; a slot of zeros is free
  std::size_t size_ = 0;
  bool zero_taken_ = false;  // the hash of all zeros is in the set; no slot can hold it
};

}  // namespace shardmill::shard
