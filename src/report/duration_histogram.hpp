// DurationHistogram: counts samples by duration, in bounded memory.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace shardmill::report {

/// Counts in steps of 10 ms up to an hour; longer samples share one more step. One thread at a time.
class DurationHistogram {
 public:
  using Duration = std::chrono::nanoseconds;

  static constexpr Duration kStep = std::chrono::milliseconds(10);
  static constexpr std::size_t kSteps = 360'000;

  void add(Duration duration);
  void add(const DurationHistogram& other);

  std::uint64_t samples() const noexcept { return samples_; }
  Duration total() const noexcept { return total_; }
  /// Zero when there are no samples.
  Duration shortest() const noexcept { return shortest_; }
  Duration longest() const noexcept { return longest_; }
  /// The beginning of the step that contains the `share`-quantile (0 to 1) of the samples.
  Duration quantile(double share) const;
  /// How many samples there are in the steps from `first` to before `last`, or to the end.
  std::uint64_t count(std::size_t first, std::size_t last) const;

 private:
  std::vector<std::uint64_t> counts_;  // only as long as the longest sample needs
  std::uint64_t samples_ = 0;
  Duration total_{};
  Duration shortest_{};
  Duration longest_{};
};

}  // namespace shardmill::report
