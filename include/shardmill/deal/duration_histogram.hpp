// DurationHistogram: where a duration stands among all those seen so far, to about one per cent.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace shardmill::deal {

using Duration = std::chrono::nanoseconds;

class DurationHistogram {
 public:
  DurationHistogram();
  /// From the counts that counts() gave.
  explicit DurationHistogram(const std::vector<std::uint64_t>& counts);

  void add(Duration duration) { add(bin_of(duration), 1); }

  /// How many of the durations added are longer, and how many fall into the same bin.
  struct Rank {
    std::uint64_t longer = 0;
    std::uint64_t alike = 0;
  };
  Rank rank(Duration duration) const;

  std::uint64_t total() const { return total_; }
  /// Per bin, without the empty bins at the end.
  std::vector<std::uint64_t> counts() const;

 private:
  static std::size_t bin_of(Duration duration);
  void add(std::size_t bin, std::uint64_t count);
  std::uint64_t below(std::size_t bin) const;

  std::vector<std::uint64_t> tree_;  // Fenwick tree over the bins
  std::uint64_t total_ = 0;
};

}  // namespace shardmill::deal
