// mix: spreads the bits of a number.
#pragma once

#include <cstdint>

namespace shardmill::base {

/// The last step of SplitMix64: every bit of `number` affects every bit of the result.
constexpr std::uint64_t mix(std::uint64_t number) noexcept {
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
  number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
  return number ^ (number >> 31);
}

}  // namespace shardmill::base
