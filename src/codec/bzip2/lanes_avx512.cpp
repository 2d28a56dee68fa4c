#if defined(__x86_64__)

#include <immintrin.h>

#include "codec/bzip2/lanes.hpp"

namespace shardmill::codec {

namespace {

__m512i next_entries(const std::uint32_t* rows, __m512i entries) {
  return _mm512_i32gather_epi32(_mm512_srli_epi32(entries, kRowShift), rows, 4);
}

// Transposes a tile: from one row of bytes for each step to one row for each lane.
void write_tile(const std::uint8_t* tile, std::byte* lanes) {
  __m256i rows[kLaneTile];
  for (std::size_t i = 0; i < kLaneTile; ++i) {
    rows[i] = _mm256_load_si256(static_cast<const __m256i*>(static_cast<const void*>(tile + i * kLanes)));
  }
  for (int round = 0; round < 4; ++round) {
    __m256i other[kLaneTile];
    for (std::size_t i = 0; i < kLaneTile / 2; ++i) {
      other[2 * i] = _mm256_unpacklo_epi8(rows[i], rows[i + kLaneTile / 2]);
      other[2 * i + 1] = _mm256_unpackhi_epi8(rows[i], rows[i + kLaneTile / 2]);
    }
    for (std::size_t i = 0; i < kLaneTile; ++i) rows[i] = other[i];
  }
  for (std::size_t i = 0; i < kLaneTile; ++i) {
    _mm_storeu_si128(static_cast<__m128i*>(static_cast<void*>(lanes + i * kLaneBytes)),
                     _mm256_castsi256_si128(rows[i]));
    _mm_storeu_si128(static_cast<__m128i*>(static_cast<void*>(lanes + (i + 16) * kLaneBytes)),
                     _mm256_extracti128_si256(rows[i], 1));
  }
}

void store_bytes(std::uint8_t* to, __m512i low, __m512i high) {
  const __m256i bytes = _mm256_set_m128i(_mm512_cvtepi32_epi8(high), _mm512_cvtepi32_epi8(low));
  _mm256_store_si256(static_cast<__m256i*>(static_cast<void*>(to)), bytes);
}

}  // namespace

void advance_lanes_avx512(const std::uint32_t* rows, std::size_t end, LaneWalk& walk, std::byte* lanes) {
  const __m512i mark = _mm512_set1_epi32(kRowMark);
  __m512i low = _mm512_load_si512(walk.here.data());
  __m512i high = _mm512_load_si512(walk.here.data() + 16);
  __m512i low_before = low;
  __m512i high_before = high;
  std::size_t step = walk.step;
  bool marked = false;
  while (step < end && !marked) {
    store_bytes(walk.tile.data() + step % kLaneTile * kLanes, low, high);
    ++step;
    if (step % kLaneTile == 0) write_tile(walk.tile.data(), lanes + step - kLaneTile);
    low_before = low;
    high_before = high;
    low = next_entries(rows, low);
    high = next_entries(rows, high);
    marked = _mm512_test_epi32_mask(_mm512_or_si512(low, high), mark) != 0;
  }
  _mm512_store_si512(walk.here.data(), low);
  _mm512_store_si512(walk.here.data() + 16, high);
  _mm512_store_si512(walk.before.data(), low_before);
  _mm512_store_si512(walk.before.data() + 16, high_before);
  walk.step = step;
}

}  // namespace shardmill::codec

#endif
