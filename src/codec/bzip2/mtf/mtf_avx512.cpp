#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "codec/bzip2/mtf/mtf.hpp"
#include "codec/bzip2/mtf/mtf_kernel.hpp"

namespace shardmill::codec {

namespace {

__m512i count_up() {
  alignas(64) static constexpr auto kCounts = [] {
    std::array<std::uint8_t, 64> counts{};
    for (unsigned i = 0; i < 64; ++i) counts[i] = static_cast<std::uint8_t>(i);
    return counts;
  }();
  return _mm512_load_si512(kCounts.data());
}

// A table of 256 bytes in four registers.
struct Table {
  __m512i parts[4];

  // Looks up each byte of `places` in the table.
  __m512i look_up(__m512i places) const {
    const __m512i low = _mm512_permutex2var_epi8(parts[0], places, parts[1]);
    const __m512i high = _mm512_permutex2var_epi8(parts[2], places, parts[3]);
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(places), low, high);
  }
};

Table load_table(const std::uint8_t* bytes) {
  Table table;
  for (int i = 0; i < 4; ++i) table.parts[i] = _mm512_loadu_si512(bytes + 64 * i);
  return table;
}

// The move-to-front list, kept in registers.
class RegisterList {
 public:
  explicit RegisterList(const std::uint8_t* bytes) : list_(load_table(bytes)) {}

  /// Replaces the places of each batch (in the list before the batch) by the symbols there, and updates the
  /// list. Byte stores must have left the store queue before a wide load can read them, so the last uses are
  /// noted some batches ahead.
  void read_batches(std::uint8_t* bytes, std::size_t count) {
    constexpr std::size_t kAhead = 4;
    alignas(64) std::uint8_t last_uses[kAhead][kMtfListBytes];
    for (std::size_t i = 0; i < std::min(kAhead, count); ++i)
      note_last_uses(bytes + i * kMtfBatch, last_uses[i]);
    for (std::size_t i = 0; i < count; ++i) {
      std::uint8_t* const last_use = last_uses[i % kAhead];
      read_batch(bytes + i * kMtfBatch, load_table(last_use));
      if (i + kAhead < count) note_last_uses(bytes + (i + kAhead) * kMtfBatch, last_use);
    }
  }

 private:
  // For each place: the number, counted from 1, of the symbol of the batch that uses it last; 0 if none does.
  static void note_last_uses(const std::uint8_t* places, std::uint8_t* last_use) {
    for (std::size_t i = 0; i < kMtfListBytes; i += 64)
      _mm512_store_si512(last_use + i, _mm512_setzero_si512());
#pragma GCC unroll 32
    for (std::size_t i = 0; i < kMtfBatch; ++i) last_use[places[i]] = static_cast<std::uint8_t>(i + 1);
  }

  void read_batch(std::uint8_t* bytes, const Table& last_use) {
    const __m512i places =
        _mm512_castsi256_si512(_mm256_loadu_si256(static_cast<const __m256i*>(static_cast<void*>(bytes))));
    const __m512i symbols = list_.look_up(places);
    _mm256_storeu_si256(static_cast<__m256i*>(static_cast<void*>(bytes)), _mm512_castsi512_si256(symbols));

    // These count from the last symbol of the batch down: 32 to 1, as in last_use.
    const __m512i ordinals = _mm512_sub_epi8(_mm512_set1_epi8(kMtfBatch), count_up());
    const __m512i backwards = _mm512_sub_epi8(ordinals, _mm512_set1_epi8(1));
    const __m512i places_back = _mm512_permutexvar_epi8(backwards, places);
    const __mmask64 last = _mm512_mask_cmpeq_epi8_mask(0xffffffff, last_use.look_up(places_back), ordinals);
    // The places are compressed, not the symbols, so that only a look-up has to wait for the list.
    const __m512i front = list_.look_up(_mm512_maskz_compress_epi8(last, places_back));
    update(last_use, front, static_cast<unsigned>(_mm_popcnt_u64(last)));
  }

  // Puts the `front_size` used bytes first, and after them the unused ones, one register after another.
  void update(const Table& last_use, __m512i front, unsigned front_size) {
    const __m512i count = count_up();
    __m512i moved = front;  // the content of the register so far
    unsigned shift = front_size;
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      const __mmask64 kept_mask = _mm512_testn_epi8_mask(last_use.parts[i], last_use.parts[i]);
      const __m512i kept = _mm512_maskz_compress_epi8(kept_mask, list_.parts[i]);
      // The kept bytes, rotated so that those without room continue in the next register.
      const __m512i turned =
          _mm512_permutexvar_epi8(_mm512_sub_epi8(count, _mm512_set1_epi8(static_cast<char>(shift))), kept);
      list_.parts[i] = _mm512_mask_blend_epi8(~std::uint64_t{0} << shift, moved, turned);
      moved = turned;
      shift += static_cast<unsigned>(_mm_popcnt_u64(kept_mask)) - 64;
    }
  }

  Table list_;
};

struct Ops {
  using Vector = __m512i;
  static constexpr std::size_t kLanes = 64;

  static __m128i load16(const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); }
  static void store16(void* to, __m128i v) { _mm_storeu_si128(static_cast<__m128i*>(to), v); }

  static Vector load16s(const std::uint8_t* from, std::size_t stride) {
    const __m256i low = _mm256_set_m128i(load16(from + stride), load16(from));
    const __m256i high = _mm256_set_m128i(load16(from + 3 * stride), load16(from + 2 * stride));
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
  }
  static void store16s(std::uint8_t* to, std::size_t stride, Vector v) {
    store16(to, _mm512_castsi512_si128(v));
    store16(to + stride, _mm512_extracti32x4_epi32(v, 1));
    store16(to + 2 * stride, _mm512_extracti32x4_epi32(v, 2));
    store16(to + 3 * stride, _mm512_extracti32x4_epi32(v, 3));
  }
  static Vector unpack_low(Vector a, Vector b) { return _mm512_unpacklo_epi8(a, b); }
  static Vector unpack_high(Vector a, Vector b) { return _mm512_unpackhi_epi8(a, b); }
  static Vector move_back(Vector q, Vector p) {
    return _mm512_add_epi8(_mm512_min_epu8(_mm512_sub_epi8(q, _mm512_set1_epi8(1)), p),
                           _mm512_subs_epu8(q, p));
  }
  using List = RegisterList;
};

}  // namespace

void undo_move_to_front_avx512(std::uint8_t* positions, std::size_t size, const std::uint8_t* list) {
  MtfKernel<Ops>::undo(positions, size, list);
}

}  // namespace shardmill::codec

#endif
