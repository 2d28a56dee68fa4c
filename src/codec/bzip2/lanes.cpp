#include "codec/bzip2/lanes.hpp"

namespace shardmill::codec {

namespace {

// Moves each lane by one step. Returns a number whose highest bit is set if the next row of a lane is a
// start.
inline std::uint32_t advance_step(const RowTable& table, std::uint32_t* rows, std::byte* out) {
  std::uint32_t started = 0;
  const std::uint32_t mask = table.start_mask;
#pragma GCC unroll 32
  for (std::size_t lane = 0; lane < kLanes.count; ++lane) {
    const std::uint32_t entry = table.entries[rows[lane]];
    out[lane * kLanes.bytes] = static_cast<std::byte>(entry);
    const std::uint32_t next = entry >> kRowShift;
    rows[lane] = next;
    __builtin_prefetch(table.entries + next);
    started |= (next & mask) - 1;
  }
  return started;
}

std::uint64_t lanes_at_starts(const RowTable& table, const LaneWalk& walk) {
  std::uint64_t lanes = 0;
  for (std::size_t lane = 0; lane < kLanes.count; ++lane)
    lanes |= std::uint64_t{table.is_start(walk.rows[lane]) ? 1U : 0U} << lane;
  return lanes;
}

}  // namespace

std::uint64_t advance_lanes(base::VectorPath path, const RowTable& table, std::size_t end, LaneWalk& walk,
                            std::byte* lanes) {
#if defined(__x86_64__)
  if (path == base::VectorPath::avx512) return advance_lanes_avx512(table, end, walk, lanes);
#endif
  (void)path;
  while (walk.step < end) {
    std::byte* const out = lanes + kLanes.bytes - ++walk.step;
    if (advance_step(table, walk.rows.data(), out) >> 31 != 0) return lanes_at_starts(table, walk);
  }
  return 0;
}

}  // namespace shardmill::codec
