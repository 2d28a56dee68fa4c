// put_big, put_little: write numbers over bytes that are there.
#pragma once

#include <cstddef>
#include <cstdint>

#include "audio/byte_view.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::audio {

/// Writes `value` into `count` bytes at `at`, the lowest byte first.
inline void put_little(Bytes& bytes, std::size_t at, std::uint64_t value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) bytes[at + i] = static_cast<std::byte>(value >> (8 * i) & 0xff);
}

/// The same, the highest byte first.
inline void put_big(Bytes& bytes, std::size_t at, std::uint64_t value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    bytes[at + i] = static_cast<std::byte>(value >> (8 * (count - 1 - i)) & 0xff);
}

inline Bytes copied(ByteView audio) {
  return {audio.bytes().begin(), audio.bytes().end()};
}

}  // namespace shardmill::audio
