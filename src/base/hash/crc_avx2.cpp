#if defined(__x86_64__)

#include <immintrin.h>

#include <array>
#include <bit>

#include "base/hash/crc.hpp"

namespace shardmill::base {

namespace {

/// x^n modulo the polynomial.
constexpr std::int64_t power(unsigned n) {
  unsigned value = 1;
  for (; n > 0; --n) value = (value << 1) ^ ((value & 0x8000) != 0 ? 0x10000U | kCrc16Polynomial : 0U);
  return value;
}

constexpr std::size_t kLane = 16;
constexpr std::size_t kStep = 4 * kLane;

__m128i load(const std::byte* bytes) {
  const __m128i reversed = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  return _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)), reversed);
}

/// Moves `lane` in front of `next`; `powers` have the distance.
__m128i folded(__m128i lane, __m128i powers, __m128i next) {
  const __m128i high = _mm_clmulepi64_si128(lane, powers, 0x11);
  const __m128i low = _mm_clmulepi64_si128(lane, powers, 0x00);
  return _mm_xor_si128(_mm_xor_si128(high, low), next);
}

/// Reduces all whole steps of `bytes`, at least one, to 16 bytes with the same CRC. `state` is added to the
/// first bytes.
template <typename Load>
__m128i reduced(std::span<const std::byte> bytes, __m128i state, __m128i over_step, __m128i over_lane,
                const Load& load) {
  const std::byte* at = bytes.data();
  __m128i a = _mm_xor_si128(load(at), state);
  __m128i b = load(at + kLane);
  __m128i c = load(at + 2 * kLane);
  __m128i d = load(at + 3 * kLane);
  std::size_t left = bytes.size() - kStep;
  for (at += kStep; left >= kStep; left -= kStep, at += kStep) {
    a = folded(a, over_step, load(at));
    b = folded(b, over_step, load(at + kLane));
    c = folded(c, over_step, load(at + 2 * kLane));
    d = folded(d, over_step, load(at + 3 * kLane));
  }
  return folded(folded(folded(a, over_lane, b), over_lane, c), over_lane, d);
}

std::array<std::byte, kLane> bytes_of(__m128i lane) {
  std::array<std::byte, kLane> bytes;
  _mm_storeu_si128(reinterpret_cast<__m128i*>(bytes.data()), lane);
  return bytes;
}

}  // namespace

// Both hash what is left of the last step with their tables.

std::uint16_t crc16_avx2(std::span<const std::byte> bytes) {
  const __m128i over_step = _mm_set_epi64x(power(8 * kStep + 64), power(8 * kStep));
  const __m128i over_lane = _mm_set_epi64x(power(8 * kLane + 64), power(8 * kLane));
  const __m128i all = reduced(bytes, _mm_setzero_si128(), over_step, over_lane, load);
  const __m128i in_order = load(bytes_of(all).data());
  return crc16_by_table(crc16_by_table(0, bytes_of(in_order)), bytes.last(bytes.size() % kStep));
}

namespace {

/// x^n modulo the polynomial, as its bits are: the power 0 is the highest.
constexpr std::int64_t power64(unsigned n) {
  std::uint64_t value = std::uint64_t{1} << 63;
  for (; n > 0; --n) value = (value >> 1) ^ ((value & 1) != 0 ? kCrc64Polynomial : 0);
  return std::bit_cast<std::int64_t>(value);
}

/// The factors that move a lane forward by this number of bits. A product of reversed polynomials has one
/// power too many.
template <unsigned kBits>
__m128i powers64() {
  constexpr std::int64_t kOfHigh = power64(kBits - 1);
  constexpr std::int64_t kOfLow = power64(kBits + 64 - 1);
  return _mm_set_epi64x(kOfHigh, kOfLow);
}

__m128i load64(const std::byte* bytes) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
}

}  // namespace

std::uint64_t crc64_avx2(std::uint64_t state, std::span<const std::byte> bytes) {
  const __m128i before = _mm_set_epi64x(0, std::bit_cast<std::int64_t>(state));
  const __m128i all = reduced(bytes, before, powers64<8 * kStep>(), powers64<8 * kLane>(), load64);
  return crc64_by_table(crc64_by_table(0, bytes_of(all)), bytes.last(bytes.size() % kStep));
}

}  // namespace shardmill::base

#endif
