// The magic numbers with which frames of zstd and lz4 begin, read as little-endian numbers.
#pragma once

#include <cstdint>

namespace shardmill::codec {

inline constexpr std::uint32_t kZstdMagicNumber = 0xFD2FB528;
inline constexpr std::uint32_t kLz4MagicNumber = 0x184D2204;

/// True for any of the sixteen numbers of frames that decoders skip.
constexpr bool is_skippable(std::uint64_t magic) {
  return (magic & 0xFFFFFFF0) == 0x184D2A50;
}

}  // namespace shardmill::codec
