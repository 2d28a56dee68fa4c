// Many walks through the rows of an inverse Burrows-Wheeler transform, side by side; private to it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/system/vector_path.hpp"

namespace shardmill::codec {

// An entry of the table of rows: the byte in the low 8 bits, a mark where a walk starts, the next row on top.
inline constexpr std::uint32_t kRowMark = 1U << 8;
inline constexpr unsigned kRowShift = 12;

inline constexpr std::size_t kLanes = 32;
inline constexpr std::size_t kLaneTile = 16;  // steps
// An even share of the largest block is 28 125.
inline constexpr std::size_t kLaneBytes = 44'000;
static_assert(kLaneBytes % kLaneTile == 0);

struct LaneWalk {
  alignas(64) std::array<std::uint32_t, kLanes> here;    // entries whose bytes are next to be written
  alignas(64) std::array<std::uint32_t, kLanes> before;  // one step earlier
  alignas(64)
      std::array<std::uint8_t, kLaneTile * kLanes> tile;  // the steps since the last multiple of kLaneTile
  std::size_t step = 0;                                   // how many bytes each lane has
};

/// Goes on until some entry of `here` is marked, or to step `end`. Each lane's bytes go to its kLaneBytes of
/// `lanes`; they are all there when `step` is a multiple of kLaneTile.
void advance_lanes(base::VectorPath path, const std::uint32_t* rows, std::size_t end, LaneWalk& walk,
                   std::byte* lanes);

void advance_lanes_avx512(const std::uint32_t* rows, std::size_t end, LaneWalk& walk, std::byte* lanes);

}  // namespace shardmill::codec
