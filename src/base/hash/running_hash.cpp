#include "base/hash/running_hash.hpp"

// Makes the size of XXH64's state known, so that the state fits into a plain value.
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include <cstring>

namespace shardmill::base {

RunningHash::RunningHash() {
  static_assert(sizeof(XXH64_state_t) == sizeof(state_));
  XXH64_state_t state;
  std::memset(&state, 0, sizeof state);
  ::XXH64_reset(&state, 0);
  std::memcpy(state_.data(), &state, sizeof state);
}

void RunningHash::update(std::span<const std::byte> data) {
  if (data.empty()) return;
  XXH64_state_t state;
  std::memcpy(&state, state_.data(), sizeof state);
  ::XXH64_update(&state, data.data(), data.size());
  std::memcpy(state_.data(), &state, sizeof state);
}

std::uint64_t RunningHash::digest() const {
  XXH64_state_t state;
  std::memcpy(&state, state_.data(), sizeof state);
  return ::XXH64_digest(&state);
}

std::uint64_t quick_hash(std::span<const std::byte> data) {
  return ::XXH64(data.data(), data.size(), 0);
}

}  // namespace shardmill::base
