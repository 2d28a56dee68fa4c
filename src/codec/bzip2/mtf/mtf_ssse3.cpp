#if defined(__x86_64__)

#include <immintrin.h>

#include "codec/bzip2/mtf/mtf.hpp"
#include "codec/bzip2/mtf/mtf_kernel.hpp"

namespace shardmill::codec {

namespace {

struct Ops {
  using Vector = __m128i;
  static constexpr std::size_t kLanes = 16;

  static Vector load(const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); }
  static Vector load8(const void* from) { return _mm_loadl_epi64(static_cast<const __m128i*>(from)); }

  static Vector load16s(const std::uint8_t* from, std::size_t) { return load(from); }
  static void store16s(std::uint8_t* to, std::size_t, Vector v) {
    _mm_storeu_si128(static_cast<__m128i*>(static_cast<void*>(to)), v);
  }
  static Vector unpack_low(Vector a, Vector b) { return _mm_unpacklo_epi8(a, b); }
  static Vector unpack_high(Vector a, Vector b) { return _mm_unpackhi_epi8(a, b); }
  static Vector move_back(Vector q, Vector p) {
    return _mm_add_epi8(_mm_min_epu8(_mm_sub_epi8(q, _mm_set1_epi8(1)), p), _mm_subs_epu8(q, p));
  }
  static std::uint8_t* append_kept(const std::uint8_t* from, const std::uint8_t* used, std::uint8_t* to) {
    const auto kept =
        static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(load(used), _mm_setzero_si128())));
    to = append_kept8(from, ~kept & 0xff, to);
    return append_kept8(from + 8, ~kept >> 8 & 0xff, to);
  }
  static std::uint8_t* append_kept8(const std::uint8_t* from, unsigned used, std::uint8_t* to) {
    const Vector packed = _mm_shuffle_epi8(load8(from), load8(kKeptIndices.indices[used]));
    _mm_storel_epi64(static_cast<__m128i*>(static_cast<void*>(to)), packed);
    return to + kKeptIndices.count[used];
  }
  using List = MtfMemoryList<Ops>;
};

}  // namespace

void undo_move_to_front_ssse3(std::uint8_t* positions, std::size_t size, const std::uint8_t* list) {
  MtfKernel<Ops>::undo(positions, size, list);
}

}  // namespace shardmill::codec

#endif
