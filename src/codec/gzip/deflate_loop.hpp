// The inner loop of inflating: decodes codes to bytes while there is plenty of input and room.
#pragma once

#include <cstddef>
#include <cstdint>

#include "codec/gzip/deflate_tables.hpp"

namespace shardmill::codec {

enum class DeflateLoopEnd {
  limit,  // of the input or of the room
  block,
  // The next code cannot be decoded; everything before it is.
  bad_symbol,
  bad_distance,
  too_far,  // a distance that reaches to before the history
};

/// The room needed after the limits.
inline constexpr std::size_t kDeflateLoopInputBytes = 16;
inline constexpr std::size_t kDeflateLoopRoom = 320;  // symbols

/// Symbol: a byte; or 16 bits, whose values from 256 on represent bytes that are not yet known.
template <typename Symbol>
struct DeflateLoop {
  const DeflateTables* tables = nullptr;
  const std::byte* next = nullptr;  // not yet in `bits`
  const std::byte* next_limit = nullptr;
  std::uint64_t bits = 0;  // lowest first; above `count` they are zero or equal to the bits at `next`
  unsigned count = 0;
  Symbol* out = nullptr;
  Symbol* out_limit = nullptr;
  const Symbol* history = nullptr;  // distances must not reach before it
};

DeflateLoopEnd run_deflate_loop(DeflateLoop<std::uint8_t>& loop);
DeflateLoopEnd run_deflate_loop(DeflateLoop<std::uint16_t>& loop);

#if defined(__x86_64__)
DeflateLoopEnd run_deflate_loop_avx2(DeflateLoop<std::uint8_t>& loop);
DeflateLoopEnd run_deflate_loop_avx2(DeflateLoop<std::uint16_t>& loop);
#endif

}  // namespace shardmill::codec
