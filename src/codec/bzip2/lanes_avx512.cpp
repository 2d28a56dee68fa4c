#if defined(__x86_64__)

#include <immintrin.h>

#include "codec/bzip2/lanes.hpp"

namespace shardmill::codec {

namespace {

constexpr std::size_t kVectors = kWideLanes.count / 16;

// Transposes a tile: from one row of bytes for each step, the last step first, to one row for each lane.
void write_tile(const std::uint8_t* tile, std::byte* lanes) {
  __m512i rows[kLaneTile];
  for (std::size_t i = 0; i < kLaneTile; ++i) rows[i] = _mm512_load_si512(tile + i * kWideLanes.count);
  for (int round = 0; round < 4; ++round) {
    __m512i other[kLaneTile];
    for (std::size_t i = 0; i < kLaneTile / 2; ++i) {
      other[2 * i] = _mm512_unpacklo_epi8(rows[i], rows[i + kLaneTile / 2]);
      other[2 * i + 1] = _mm512_unpackhi_epi8(rows[i], rows[i + kLaneTile / 2]);
    }
    for (std::size_t i = 0; i < kLaneTile; ++i) rows[i] = other[i];
  }
  const auto store = [&](std::size_t lane, __m128i bytes) {
    _mm_storeu_si128(static_cast<__m128i*>(static_cast<void*>(lanes + lane * kWideLanes.bytes)), bytes);
  };
  for (std::size_t i = 0; i < kLaneTile; ++i) {
    store(i, _mm512_castsi512_si128(rows[i]));
    store(i + 16, _mm512_extracti32x4_epi32(rows[i], 1));
    store(i + 32, _mm512_extracti32x4_epi32(rows[i], 2));
    store(i + 48, _mm512_extracti32x4_epi32(rows[i], 3));
  }
}

}  // namespace

std::uint64_t advance_lanes_avx512(const RowTable& table, std::size_t end, LaneWalk& walk, std::byte* lanes) {
  const __m512i start_mask = _mm512_set1_epi32(static_cast<int>(table.start_mask));
  __m512i rows[kVectors];
  for (std::size_t i = 0; i < kVectors; ++i) rows[i] = _mm512_load_si512(walk.rows.data() + 16 * i);
  std::size_t step = walk.step;
  std::uint64_t started = 0;
  while (step < end && started == 0) {
    std::uint8_t* const bytes = walk.tile.data() + (kLaneTile - 1 - step % kLaneTile) * kWideLanes.count;
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kVectors; ++i) {
      const __m512i entries = _mm512_i32gather_epi32(rows[i], table.entries, 4);
      _mm_store_si128(static_cast<__m128i*>(static_cast<void*>(bytes + 16 * i)),
                      _mm512_cvtepi32_epi8(entries));
      rows[i] = _mm512_srli_epi32(entries, kRowShift);
      started |= std::uint64_t{_mm512_testn_epi32_mask(rows[i], start_mask)} << 16 * i;
    }
    ++step;
    if (step % kLaneTile == 0) write_tile(walk.tile.data(), lanes + kWideLanes.bytes - step);
  }
  for (std::size_t i = 0; i < kVectors; ++i) _mm512_store_si512(walk.rows.data() + 16 * i, rows[i]);
  walk.step = step;
  return started;
}

}  // namespace shardmill::codec

#endif
