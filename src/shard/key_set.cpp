#include "shard/key_set.hpp"

#include <cstring>
#include <utility>

namespace shardmill::shard {

namespace {

constexpr std::size_t kFirstSlots = 1 << 12;
constexpr base::Xxh128 kFree{};

}  // namespace

KeySet::KeySet() : slots_(kFirstSlots) {}

std::size_t KeySet::slot_of(const base::Xxh128& key_hash) const {
  std::uint64_t start = 0;
  std::memcpy(&start, key_hash.bytes.data(), sizeof start);
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = static_cast<std::size_t>(start) & mask;
  while (slots_[slot] != kFree && slots_[slot] != key_hash) slot = (slot + 1) & mask;
  return slot;
}

bool KeySet::insert(const base::Xxh128& key_hash) {
  if (key_hash == kFree) return !std::exchange(zero_taken_, true);
  if (4 * (size_ + 1) > 3 * slots_.size()) grow();
  const std::size_t slot = slot_of(key_hash);
  if (slots_[slot] == key_hash) return false;
  slots_[slot] = key_hash;
  ++size_;
  return true;
}

bool KeySet::contains(std::string_view key) const {
  const base::Xxh128 key_hash = base::xxh3_128(base::as_bytes(key));
  return key_hash == kFree ? zero_taken_ : slots_[slot_of(key_hash)] == key_hash;
}

void KeySet::grow() {
  std::vector<base::Xxh128> old(2 * slots_.size());
  old.swap(slots_);
  for (const base::Xxh128& key_hash : old) {
    if (key_hash != kFree) slots_[slot_of(key_hash)] = key_hash;
  }
}

}  // namespace shardmill::shard
