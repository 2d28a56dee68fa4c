#if defined(__x86_64__)

#include <immintrin.h>

#include "base/hash/crc32.hpp"

namespace shardmill::base {

namespace {

// x to the power of `exponent`, modulo the polynomial.
constexpr long long power_of_x(unsigned exponent) {
  std::uint32_t remainder = 1;
  for (unsigned i = 0; i < exponent; ++i) {
    remainder = remainder << 1 ^ ((remainder >> 31) * 0x04c11db7U);
  }
  return remainder;
}

// Replaces a polynomial of 128 bits by a congruent one that is `kBits` bits further on.
template <unsigned kBits>
__m128i fold(__m128i polynomial) {
  constexpr long long kHigh = power_of_x(kBits + 64);
  constexpr long long kLow = power_of_x(kBits);
  const __m128i factors = _mm_set_epi64x(kHigh, kLow);
  return _mm_xor_si128(_mm_clmulepi64_si128(polynomial, factors, 0x11),
                       _mm_clmulepi64_si128(polynomial, factors, 0x00));
}

// Reverses 16 bytes, because the first byte has the highest powers.
__m128i reverse(__m128i bytes) {
  return _mm_shuffle_epi8(bytes, _mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
}

__m128i load(const std::byte* bytes) {
  return reverse(_mm_loadu_si128(static_cast<const __m128i*>(static_cast<const void*>(bytes))));
}

constexpr std::size_t kStride = 64;

}  // namespace

std::uint32_t update_crc32_avx2(std::uint32_t state, std::span<const std::byte> bytes) {
  if (bytes.size() < 2 * kStride) return update_crc32_portable(state, bytes);
  const std::byte* next = bytes.data();
  const std::byte* const end = next + bytes.size();
  __m128i a = _mm_xor_si128(load(next), _mm_set_epi32(static_cast<int>(state), 0, 0, 0));
  __m128i b = load(next + 16);
  __m128i c = load(next + 32);
  __m128i d = load(next + 48);
  for (next += kStride; end - next >= static_cast<std::ptrdiff_t>(kStride); next += kStride) {
    a = _mm_xor_si128(fold<512>(a), load(next));
    b = _mm_xor_si128(fold<512>(b), load(next + 16));
    c = _mm_xor_si128(fold<512>(c), load(next + 32));
    d = _mm_xor_si128(fold<512>(d), load(next + 48));
  }
  b = _mm_xor_si128(b, fold<128>(a));
  c = _mm_xor_si128(c, fold<128>(b));
  d = _mm_xor_si128(d, fold<128>(c));
  std::byte last[16];
  _mm_storeu_si128(static_cast<__m128i*>(static_cast<void*>(last)), reverse(d));
  state = update_crc32_portable(0, last);
  return update_crc32_portable(state, std::span(next, end));
}

}  // namespace shardmill::base

#endif
