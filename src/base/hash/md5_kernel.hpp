// Md5Kernel: the rounds of MD5 on eight lanes. The including file sets the instruction set.
#pragma once

#include <cstring>
#include <utility>

#include "base/hash/md5.hpp"
#include "base/system/vector_path.hpp"

namespace shardmill::base {

/// `Path` must be a type without external linkage, so that each including file gets its own code.
template <typename Path>
class Md5Kernel {
 public:
  static void update(Md5LaneWords& words, const Md5LaneData& data, std::size_t blocks) {
    Word state[4];
    for (std::size_t i = 0; i < 4; ++i) state[i] = load(words[i].data());
    for (std::size_t block = 0; block < blocks; ++block) {
      Word w[kWords];
      read_half(w, data, block * kMd5BlockBytes);
      read_half(w + kMd5Lanes, data, block * kMd5BlockBytes + kMd5BlockBytes / 2);
      add_block(state, w, std::make_index_sequence<64>());
    }
    for (std::size_t i = 0; i < 4; ++i) std::memcpy(words[i].data(), &state[i], sizeof(Word));
  }

 private:
  // One 32-bit word of each lane.
  typedef std::uint32_t Word __attribute__((vector_size(4 * kMd5Lanes)));

  static constexpr std::size_t kWords = 16;  // in a block
  static constexpr std::uint32_t kSines[64]{
      0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
      0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
      0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
      0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
      0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
      0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
      0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
      0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
  static constexpr int kRotations[4][4]{{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

  static Word load(const void* from) {
    Word word;
    std::memcpy(&word, from, sizeof word);
    return word;
  }

  /// Reads half a block of each lane and transposes it, so that each register holds the same word of all
  /// lanes.
  static void read_half(Word* w, const Md5LaneData& data, std::size_t offset) {
    Word r[kMd5Lanes];
    Word t[kMd5Lanes];
    for (std::size_t i = 0; i < kMd5Lanes; ++i) r[i] = load(data[i] + offset);
    for (std::size_t i = 0; i < kMd5Lanes; i += 2) {
      t[i] = shuffled<0, 8, 1, 9, 4, 12, 5, 13>(r[i], r[i + 1]);
      t[i + 1] = shuffled<2, 10, 3, 11, 6, 14, 7, 15>(r[i], r[i + 1]);
    }
    for (std::size_t i = 0; i < kMd5Lanes; i += 4) {
      r[i] = shuffled<0, 1, 8, 9, 4, 5, 12, 13>(t[i], t[i + 2]);
      r[i + 1] = shuffled<2, 3, 10, 11, 6, 7, 14, 15>(t[i], t[i + 2]);
      r[i + 2] = shuffled<0, 1, 8, 9, 4, 5, 12, 13>(t[i + 1], t[i + 3]);
      r[i + 3] = shuffled<2, 3, 10, 11, 6, 7, 14, 15>(t[i + 1], t[i + 3]);
    }
    for (std::size_t i = 0; i < kMd5Lanes / 2; ++i) {
      w[i] = shuffled<0, 1, 2, 3, 8, 9, 10, 11>(r[i], r[i + 4]);
      w[i + 4] = shuffled<4, 5, 6, 7, 12, 13, 14, 15>(r[i], r[i + 4]);
    }
  }

  template <std::size_t kRound>
  static Word mix(Word b, Word c, Word d) {
    if constexpr (kRound == 0) return d ^ (b & (c ^ d));
    if constexpr (kRound == 1) return c ^ (d & (b ^ c));
    if constexpr (kRound == 2) return b ^ c ^ d;
    if constexpr (kRound == 3) return c ^ (b | ~d);
  }

  template <std::size_t kStep>
  static void step(Word& a, Word b, Word c, Word d, const Word* w) {
    constexpr std::size_t kRound = kStep / 16;
    constexpr std::size_t kFactors[4]{1, 5, 3, 7};
    constexpr std::size_t kOffsets[4]{0, 1, 5, 0};
    constexpr std::size_t kWord = (kFactors[kRound] * kStep + kOffsets[kRound]) % kWords;
    constexpr int kBits = kRotations[kRound][kStep % 4];
    const Word sum = a + mix<kRound>(b, c, d) + (w[kWord] + kSines[kStep]);
    a = b + (sum << kBits | sum >> (32 - kBits));
  }

  /// The four words rotate: each step changes the word that was the last argument of the step before.
  template <std::size_t... kSteps>
  static void add_block(Word (&state)[4], const Word* w, std::index_sequence<kSteps...>) {
    Word s[4]{state[0], state[1], state[2], state[3]};
    (step<kSteps>(s[(64 - kSteps) % 4], s[(65 - kSteps) % 4], s[(66 - kSteps) % 4], s[(67 - kSteps) % 4], w),
     ...);
    for (std::size_t i = 0; i < 4; ++i) state[i] += s[i];
  }
};

}  // namespace shardmill::base
