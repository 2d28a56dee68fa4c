// Walks many chains of rows of the inverse Burrows-Wheeler transform side by side. Private to inverse_bwt.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/system/vector_path.hpp"

namespace shardmill::codec {

// An entry of the table of rows has a byte in the low 8 bits, a mark if a walk starts there, and the next row
// in the top bits.
inline constexpr std::uint32_t kRowMark = 1U << 8;
inline constexpr unsigned kRowShift = 12;

inline constexpr std::size_t kLanes = 32;
inline constexpr std::size_t kLaneTile = 16;  // in steps
// Larger than an even share of the largest block, which is 28 125.
inline constexpr std::size_t kLaneBytes = 44'000;
static_assert(kLaneBytes % kLaneTile == 0);

struct LaneWalk {
  alignas(64) std::array<std::uint32_t, kLanes> here;    // the entries whose bytes will be written next
  alignas(64) std::array<std::uint32_t, kLanes> before;  // the same one step earlier
  alignas(64)
      std::array<std::uint8_t, kLaneTile * kLanes> tile;  // bytes since the last multiple of kLaneTile steps
  std::size_t step = 0;                                   // bytes that each lane has written
};

/// Advances until some entry of `here` is marked, or to step `end`. Each lane writes to its own kLaneBytes of
/// `lanes`; all its bytes are there only when `step` is a multiple of kLaneTile.
void advance_lanes(base::VectorPath path, const std::uint32_t* rows, std::size_t end, LaneWalk& walk,
                   std::byte* lanes);

void advance_lanes_avx512(const std::uint32_t* rows, std::size_t end, LaneWalk& walk, std::byte* lanes);

}  // namespace shardmill::codec
