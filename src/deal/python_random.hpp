// PythonRandom: the numbers of Python's random.Random(seed), with which loaders shuffle their lists.
#pragma once

#include <array>
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
  std::size_t below(std::size_t bound);

  /// random.shuffle(items).
  template <typename Item>
  void shuffle(std::vector<Item>& items) {
    for (std::size_t i = items.size(); i-- > 1;) std::swap(items[i], items[below(i + 1)]);
  }

 private:
  static constexpr std::size_t kWords = 624;

  void seed_with(std::uint32_t number);
  void renew();
  std::uint32_t next();

  std::array<std::uint32_t, kWords> state_{};
  std::size_t used_ = kWords;
};

}  // namespace shardmill::deal
