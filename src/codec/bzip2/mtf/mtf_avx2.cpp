#if defined(__x86_64__)

#include <immintrin.h>

#include "codec/bzip2/mtf/mtf.hpp"
#include "codec/bzip2/mtf/mtf_kernel.hpp"

namespace shardmill::codec {

namespace {

struct Ops {
  using Vector = __m256i;
  static constexpr std::size_t kLanes = 32;

  static __m128i load16(const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); }
  static __m128i load8(const void* from) { return _mm_loadl_epi64(static_cast<const __m128i*>(from)); }
  static void store16(void* to, __m128i v) { _mm_storeu_si128(static_cast<__m128i*>(to), v); }

  static Vector load16s(const std::uint8_t* from, std::size_t stride) {
    return _mm256_set_m128i(load16(from + stride), load16(from));
  }
  static void store16s(std::uint8_t* to, std::size_t stride, Vector v) {
    store16(to, _mm256_castsi256_si128(v));
    store16(to + stride, _mm256_extracti128_si256(v, 1));
  }
  static Vector unpack_low(Vector a, Vector b) { return _mm256_unpacklo_epi8(a, b); }
  static Vector unpack_high(Vector a, Vector b) { return _mm256_unpackhi_epi8(a, b); }
  static Vector move_back(Vector q, Vector p) {
    return _mm256_add_epi8(_mm256_min_epu8(_mm256_sub_epi8(q, _mm256_set1_epi8(1)), p),
                           _mm256_subs_epu8(q, p));
  }
  static std::uint8_t* append_kept(const std::uint8_t* from, const std::uint8_t* used, std::uint8_t* to) {
    const auto kept =
        static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(load16(used), _mm_setzero_si128())));
    to = append_kept8(from, ~kept & 0xff, to);
    return append_kept8(from + 8, ~kept >> 8 & 0xff, to);
  }
  static std::uint8_t* append_kept8(const std::uint8_t* from, unsigned used, std::uint8_t* to) {
    const __m128i packed = _mm_shuffle_epi8(load8(from), load8(kKeptIndices.indices[used]));
    _mm_storel_epi64(static_cast<__m128i*>(static_cast<void*>(to)), packed);
    return to + kKeptIndices.count[used];
  }
  using List = MtfMemoryList<Ops>;
};

}  // namespace

void undo_move_to_front_avx2(std::uint8_t* positions, std::size_t size, const std::uint8_t* list) {
  MtfKernel<Ops>::undo(positions, size, list);
}

}  // namespace shardmill::codec

#endif
