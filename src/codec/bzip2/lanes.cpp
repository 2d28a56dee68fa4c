#include "codec/bzip2/lanes.hpp"

namespace shardmill::codec {

namespace {

using Entries = std::array<std::uint32_t, kLanes>;

// Moves each lane by one step. Returns the mark if any of the next entries has it.
inline std::uint32_t advance_step(const std::uint32_t* rows, const Entries& here, Entries& next,
                                  std::byte* out) {
  std::uint32_t marks = 0;
#pragma GCC unroll 32
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const std::uint32_t entry = here[lane];
    out[lane * kLaneBytes] = static_cast<std::byte>(entry);
    next[lane] = rows[entry >> kRowShift];
    marks |= next[lane];
  }
  return marks & kRowMark;
}

}  // namespace

void advance_lanes(base::VectorPath path, const std::uint32_t* rows, std::size_t end, LaneWalk& walk,
                   std::byte* lanes) {
#if defined(__x86_64__)
  if (path == base::VectorPath::avx512) return advance_lanes_avx512(rows, end, walk, lanes);
#endif
  (void)path;
  while (walk.step < end) {
    walk.before = walk.here;
    if (advance_step(rows, walk.before, walk.here, lanes + walk.step++) != 0) return;
  }
}

}  // namespace shardmill::codec
