#include "deal/python_random.hpp"

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
  const auto renew_word = [this](std::size_t i, std::size_t next, std::size_t far) {
    const std::uint32_t both = (state_[i] & 0x80000000) | (state_[next] & 0x7FFFFFFF);
    state_[i] = state_[far] ^ (both >> 1) ^ ((0 - (both & 1)) & 0x9908B0DF);
  };
  std::size_t i = 0;
  for (; i < kWords - kShift; ++i) renew_word(i, i + 1, i + kShift);
  for (; i < kWords - 1; ++i) renew_word(i, i + 1, i + kShift - kWords);
  renew_word(i, 0, i + kShift - kWords);
  for (std::size_t word = 0; word < kWords; ++word) {
    std::uint32_t bits = state_[word];
    bits ^= bits >> 11;
    bits ^= (bits << 7) & 0x9D2C5680;
    bits ^= (bits << 15) & 0xEFC60000;
    words_[word] = bits ^ (bits >> 18);
  }
  used_ = 0;
}

}  // namespace shardmill::deal
