#include "deal/python_random.hpp"

#include <algorithm>
#include <bit>

namespace shardmill::deal {

// The Mersenne Twister MT19937, seeded by an array as its authors Matsumoto and Nishimura do it.

PythonRandom::PythonRandom(std::uint64_t seed) {
  constexpr std::uint32_t kArraySeed = 19650218;
  const auto low = static_cast<std::uint32_t>(seed);
  const auto high = static_cast<std::uint32_t>(seed >> 32);
  const std::array<std::uint32_t, 2> key{low, high};
  const std::size_t key_words = high == 0 ? 1 : 2;

  seed_with(kArraySeed);
  std::size_t i = 1;
  const auto mixed = [&](std::uint32_t factor) {
    return state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30)) * factor);
  };
  const auto step = [&] {
    if (++i < kWords) return;
    state_[0] = state_[kWords - 1];
    i = 1;
  };
  for (std::size_t round = 0; round < kWords; ++round) {
    const std::size_t j = round % key_words;
    state_[i] = mixed(1664525) + key[j] + static_cast<std::uint32_t>(j);
    step();
  }
  for (std::size_t round = 1; round < kWords; ++round) {
    state_[i] = mixed(1566083941) - static_cast<std::uint32_t>(i);
    step();
  }
  state_[0] = 0x80000000;
}

void PythonRandom::seed_with(std::uint32_t number) {
  state_[0] = number;
  for (std::uint32_t i = 1; i < kWords; ++i) {
    state_[i] = 1812433253 * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
  }
}

void PythonRandom::renew() {
  constexpr std::size_t kShift = 397;
  for (std::size_t i = 0; i < kWords; ++i) {
    const std::uint32_t both = (state_[i] & 0x80000000) | (state_[(i + 1) % kWords] & 0x7FFFFFFF);
    state_[i] = state_[(i + kShift) % kWords] ^ (both >> 1) ^ (both % 2 == 0 ? 0 : 0x9908B0DF);
  }
  used_ = 0;
}

std::uint32_t PythonRandom::next() {
  if (used_ == kWords) renew();
  std::uint32_t word = state_[used_++];
  word ^= word >> 11;
  word ^= (word << 7) & 0x9D2C5680;
  word ^= (word << 15) & 0xEFC60000;
  return word ^ (word >> 18);
}

// Like Python, draws as many bits as `bound` has until they make a number below it.
std::size_t PythonRandom::below(std::size_t bound) {
  const auto bits = static_cast<unsigned>(std::bit_width(bound));
  std::size_t drawn = 0;
  do {
    drawn = next() >> (32 - bits);
  } while (drawn >= bound);
  return drawn;
}

}  // namespace shardmill::deal
