// PythonRandom: the numbers of Python's random.Random(seed), with which loaders shuffle their lists.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace shardmill::deal {

class PythonRandom {
 public:
  /// Seeds like random.Random(seed) of Python 3 with a whole number.
  explicit PythonRandom(std::uint64_t seed);

  /// random.randrange(bound), for a `bound` from 1 to 2^32 - 1.
  std::size_t below(std::size_t bound) {
    // Like Python, draws as many bits as `bound` has until they make a number below it.
    const auto bits = static_cast<unsigned>(std::bit_width(bound));
    for (;;) {
      const std::size_t drawn = next() >> (32 - bits);
      if (drawn < bound) return drawn;
    }
  }

  /// random.shuffle(items).
  template <typename Item>
  void shuffle(std::vector<Item>& items) {
    for (std::size_t i = items.size(); i-- > 1;) std::swap(items[i], items[below(i + 1)]);
  }

 private:
  static constexpr std::size_t kWords = 624;

  void seed_with(std::uint32_t number);
  void renew();
  std::uint32_t next() {
    if (used_ == kWords) renew();
    return words_[used_++];
  }

  std::array<std::uint32_t, kWords> state_{};
  std::array<std::uint32_t, kWords> words_{};  // made of the state, to be given
  std::size_t used_ = kWords;
};

}  // namespace shardmill::deal
