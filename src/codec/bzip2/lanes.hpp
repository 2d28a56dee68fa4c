// Walks many chains of rows of the inverse Burrows-Wheeler transform side by side, each from the end of its
// text towards the start. Private to inverse_bwt.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/system/vector_path.hpp"

namespace shardmill::codec {

// The entry of a row has the last byte of the row in the low 8 bits, and from kRowShift on the row whose text
// comes one byte earlier.
inline constexpr unsigned kRowShift = 12;

inline constexpr std::size_t kMaxLanes = 64;
inline constexpr std::size_t kLaneTile = 16;  // in steps

/// The number of lanes of a path, and the bytes that each of them may write: twice an even share of the
/// largest block. More lanes hide more of the time that memory takes, if the CPU can wait for that many.
struct LaneShape {
  std::size_t count;
  std::size_t bytes;
};
inline constexpr LaneShape kWideLanes{.count = 64, .bytes = 28'128};  // of AVX-512
inline constexpr LaneShape kLanes{.count = 32, .bytes = 56'256};      // of all others
inline constexpr std::size_t kAllLanesBytes = kLanes.count * kLanes.bytes;
static_assert(kWideLanes.count * kWideLanes.bytes == kAllLanesBytes && kWideLanes.count <= kMaxLanes);
static_assert(kLanes.bytes % kLaneTile == 0 && kWideLanes.bytes % kLaneTile == 0);

constexpr LaneShape lane_shape(base::VectorPath path) noexcept {
  return path == base::VectorPath::avx512 ? kWideLanes : kLanes;
}

/// The entries of all rows. Walks start at the rows whose number has no bit of `start_mask`.
struct RowTable {
  const std::uint32_t* entries;
  std::uint32_t start_mask;

  bool is_start(std::uint32_t row) const noexcept { return (row & start_mask) == 0; }
};

struct LaneWalk {
  alignas(64) std::array<std::uint32_t, kMaxLanes> rows;  // whose bytes will be written next
  alignas(64) std::array<std::uint8_t,
                         kLaneTile * kMaxLanes> tile;  // bytes since the last multiple of kLaneTile steps
  std::size_t step = 0;                                // bytes that each lane has written
};

/// Advances until the next row of some lane is a start, or to step `end`, at most lane_shape().bytes. Returns
/// these lanes as bits. Each lane writes to its own part of `lanes`, from its end down; all its bytes are
/// there only when `step` is a multiple of kLaneTile.
std::uint64_t advance_lanes(base::VectorPath path, const RowTable& table, std::size_t end, LaneWalk& walk,
                            std::byte* lanes);

std::uint64_t advance_lanes_avx512(const RowTable& table, std::size_t end, LaneWalk& walk, std::byte* lanes);

}  // namespace shardmill::codec
