#if defined(__x86_64__)

#include <immintrin.h>

#include "base/hash/sha256_lanes.hpp"

namespace shardmill::base {

namespace {

// One 32-bit word of each of the sixteen streams.
using Words = __m512i;

constexpr std::size_t kWords = 16;  // in a block
constexpr std::size_t kBlockBytes = 64;
// The CPU does not prefetch sixteen streams by itself. A prefetch after the end of a buffer does no harm.
constexpr std::size_t kPrefetchBytes = 16 * kBlockBytes;

constexpr std::array<std::uint32_t, 64> kRoundConstants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// Truth tables of three inputs, for the ternary logic instruction.
constexpr int kXor = 0x96;
constexpr int kChoose = 0xca;
constexpr int kMajority = 0xe8;

template <typename... More>
Words sum(Words first, More... more) {
  ((first = _mm512_add_epi32(first, more)), ...);
  return first;
}

Words exclusive_or(Words a, Words b, Words c) {
  return _mm512_ternarylogic_epi32(a, b, c, kXor);
}

template <int A, int B, int C>
Words rotations(Words x) {
  return exclusive_or(_mm512_ror_epi32(x, A), _mm512_ror_epi32(x, B), _mm512_ror_epi32(x, C));
}

template <int A, int B, int Shift>
Words rotations_and_shift(Words x) {
  return exclusive_or(_mm512_ror_epi32(x, A), _mm512_ror_epi32(x, B), _mm512_srli_epi32(x, Shift));
}

// Turns registers that hold one block each into registers that hold the same word of all blocks.
void transpose(Words (&w)[kWords]) {
  Words t[kWords];
  for (std::size_t i = 0; i < kWords; i += 2) {
    t[i] = _mm512_unpacklo_epi32(w[i], w[i + 1]);
    t[i + 1] = _mm512_unpackhi_epi32(w[i], w[i + 1]);
  }
  for (std::size_t i = 0; i < kWords; i += 4) {
    w[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
    w[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
    w[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
    w[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
  }
  for (std::size_t half = 0; half < kWords; half += 8) {
    for (std::size_t i = half; i < half + 4; ++i) {
      t[i] = _mm512_shuffle_i32x4(w[i], w[i + 4], 0x88);
      t[i + 4] = _mm512_shuffle_i32x4(w[i], w[i + 4], 0xdd);
    }
  }
  for (std::size_t i = 0; i < 8; ++i) {
    w[i] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0x88);
    w[i + 8] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0xdd);
  }
}

void read_block(Words (&w)[kWords], const std::array<const std::byte*, kSha256Lanes>& data,
                std::size_t offset) {
  const Words big_endian =
      _mm512_broadcast_i32x4(_mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3));
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kWords; ++i) {
    w[i] = _mm512_shuffle_epi8(_mm512_loadu_si512(data[i] + offset), big_endian);
    _mm_prefetch(data[i] + offset + kPrefetchBytes, _MM_HINT_T0);
  }
  transpose(w);
}

void add_block(Words (&state)[8], Words (&w)[kWords]) {
  auto [a, b, c, d, e, f, g, h] = state;
#pragma GCC unroll 64
  for (std::size_t i = 0; i < kRoundConstants.size(); ++i) {
    Words& word = w[i % kWords];
    const Words first = sum(h, rotations<6, 11, 25>(e),
                            sum(_mm512_ternarylogic_epi32(e, f, g, kChoose),
                                sum(word, _mm512_set1_epi32(static_cast<int>(kRoundConstants[i])))));
    const Words second = sum(rotations<2, 13, 22>(a), _mm512_ternarylogic_epi32(a, b, c, kMajority));
    h = g;
    g = f;
    f = e;
    e = sum(d, first);
    d = c;
    c = b;
    b = a;
    a = sum(first, second);
    if (i + kWords >= kRoundConstants.size()) continue;
    word = sum(word, rotations_and_shift<7, 18, 3>(w[(i + 1) % kWords]), w[(i + 9) % kWords],
               rotations_and_shift<17, 19, 10>(w[(i + 14) % kWords]));
  }
  const Words changed[8] = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] = sum(state[i], changed[i]);
}

}  // namespace

void update_sha256_lanes_avx512(Sha256LaneWords& words,
                                const std::array<const std::byte*, kSha256Lanes>& data, std::size_t blocks) {
  Words state[8];
  for (std::size_t i = 0; i < 8; ++i) state[i] = _mm512_loadu_si512(words[i].data());
  for (std::size_t block = 0; block < blocks; ++block) {
    Words w[kWords];
    read_block(w, data, block * kBlockBytes);
    add_block(state, w);
  }
  for (std::size_t i = 0; i < 8; ++i) _mm512_storeu_si512(words[i].data(), state[i]);
}

}  // namespace shardmill::base

#endif
