#if defined(__x86_64__)

#include <immintrin.h>

#include "base/hash/sha256_lanes.hpp"

namespace shardmill::base {

namespace {

using Words = __m128i;

constexpr std::size_t kStreams = 2;
constexpr std::size_t kBlockBytes = 64;
constexpr std::size_t kSteps = 16;  // of four rounds

alignas(16) constexpr std::array<std::uint32_t, 4 * kSteps> kRoundConstants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// The words a, b, e, f of a stream, and c, d, g, h, in the order in which the instructions want them.
struct State {
  Words abef;
  Words cdgh;
};

State load(const Sha256LaneWords& words, std::size_t lane) {
  const auto word = [&](std::size_t i) { return static_cast<int>(words[i][lane]); };
  return {.abef = _mm_set_epi32(word(0), word(1), word(4), word(5)),
          .cdgh = _mm_set_epi32(word(2), word(3), word(6), word(7))};
}

void store(const State& state, Sha256LaneWords& words, std::size_t lane) {
  alignas(16) std::array<std::uint32_t, 4> abef;
  alignas(16) std::array<std::uint32_t, 4> cdgh;
  _mm_store_si128(reinterpret_cast<Words*>(abef.data()), state.abef);
  _mm_store_si128(reinterpret_cast<Words*>(cdgh.data()), state.cdgh);
  for (std::size_t i = 0; i < 2; ++i) {
    words[i][lane] = abef[3 - i];
    words[4 + i][lane] = abef[1 - i];
    words[2 + i][lane] = cdgh[3 - i];
    words[6 + i][lane] = cdgh[1 - i];
  }
}

void read_block(Words (&w)[4], const std::byte* data) {
  const Words big_endian = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
  for (std::size_t i = 0; i < 4; ++i) {
    w[i] = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const Words*>(data) + i), big_endian);
  }
}

// Four rounds; then the words of four rounds are replaced by those for 16 rounds later.
inline void step(State& state, Words (&w)[4], std::size_t i) {
  Words& now = w[i % 4];
  const Words* const constants = reinterpret_cast<const Words*>(kRoundConstants.data());
  const Words sum = _mm_add_epi32(now, _mm_load_si128(constants + i));
  state.cdgh = _mm_sha256rnds2_epu32(state.cdgh, state.abef, sum);
  if (i + 4 < kSteps) {
    const Words& last = w[(i + 3) % 4];
    const Words seven_back = _mm_alignr_epi8(last, w[(i + 2) % 4], 4);
    now = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(now, w[(i + 1) % 4]), seven_back), last);
  }
  state.abef = _mm_sha256rnds2_epu32(state.abef, state.cdgh, _mm_shuffle_epi32(sum, 0x0e));
}

}  // namespace

// The instructions take four cycles each, and each needs the result of the one before; those of the other
// stream fill the time in between.
void update_sha256_lanes_sha(Sha256LaneWords& words, const std::array<const std::byte*, kSha256Lanes>& data,
                             std::size_t blocks) {
  State first = load(words, 0);
  State second = load(words, 1);
  for (std::size_t block = 0; block < blocks; ++block) {
    Words w[kStreams][4];
    read_block(w[0], data[0] + block * kBlockBytes);
    read_block(w[1], data[1] + block * kBlockBytes);
    const State before[kStreams] = {first, second};
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kSteps; ++i) {
      step(first, w[0], i);
      step(second, w[1], i);
    }
    first = {_mm_add_epi32(first.abef, before[0].abef), _mm_add_epi32(first.cdgh, before[0].cdgh)};
    second = {_mm_add_epi32(second.abef, before[1].abef), _mm_add_epi32(second.cdgh, before[1].cdgh)};
  }
  store(first, words, 0);
  store(second, words, 1);
}

}  // namespace shardmill::base

#endif
