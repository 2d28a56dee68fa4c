#include "base/remote/range_memory.hpp"

#include <algorithm>
#include <utility>

namespace shardmill::base {

RangeMemory& RangeMemory::of_process() {
  static RangeMemory memory;
  return memory;
}

bool RangeMemory::take(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (used_ + bytes > kBytes) return false;
  used_ += bytes;
  free_what_is_too_much();
  return true;
}

void RangeMemory::give_back(std::uint64_t bytes, std::vector<std::byte>&& room) {
  const std::lock_guard lock(mutex_);
  used_ -= bytes;
  if (room.capacity() == 0) return;
  idle_bytes_ += room.capacity();
  idle_.push_back(std::move(room));
  free_what_is_too_much();
}

std::vector<std::byte> RangeMemory::room(std::uint64_t bytes) {
  std::vector<std::byte> found;
  {
    const std::lock_guard lock(mutex_);
    const auto fits = [&](const auto& each) {
      return each.capacity() >= bytes && each.capacity() / 2 <= bytes;
    };
    const auto idle = std::find_if(idle_.begin(), idle_.end(), fits);
    if (idle != idle_.end()) {
      found = std::move(*idle);
      idle_bytes_ -= found.capacity();
      idle_.erase(idle);
    }
  }
  found.clear();
  found.reserve(bytes);
  return found;
}

std::size_t RangeMemory::ahead() const noexcept {
  constexpr std::size_t kOfAll = 12;
  return std::clamp(kOfAll / std::max<std::size_t>(1, readers_), std::size_t{1}, kMostAhead);
}

std::uint64_t RangeMemory::share() const noexcept {
  const std::uint64_t of_one = ahead() + 2;  // the one that is read, and the one before it
  const std::uint64_t all = std::max<std::uint64_t>(1, readers_) * of_one;
  return std::clamp(kBytes / all, kLeastOfOne, kMostOfOne);
}

/// A range that has just been taken mostly fits into the room that became idle just before.
void RangeMemory::free_what_is_too_much() {
  while (!idle_.empty() && used_ + idle_bytes_ > kBytes + kMostOfOne) {
    idle_bytes_ -= idle_.front().capacity();
    idle_.pop_front();
  }
}

}  // namespace shardmill::base
