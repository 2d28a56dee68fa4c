// ProgressLine: how far the run is, in one line that fits the terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "base/reporter.hpp"

namespace shardmill::cli {

/// `text` made as narrow as `columns` by leaving off its end; wide characters take two.
std::string fitted(std::string_view text, std::size_t columns);

/// Not thread-safe. Times are given, so that tests need not wait.
class ProgressLine {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit ProgressLine(Time start) : start_(start) {}

  /// What is being done from now on.
  void phase(std::string_view name, const base::Progress& progress, Time now);

  /// "compressing:  87%  0:00:12 left  in 21.3 MB/s  ..." as far as it fits. The time left is that of the
  /// whole run; the speed of the last half minute foretells it.
  std::string text(const base::Progress& progress, Time now, std::size_t columns);

 private:
  struct Moment {
    Time time;
    std::uint64_t input_bytes = 0;
  };

  void remember(const base::Progress& progress, Time now);
  std::string time_left(const base::Progress& progress, Time now) const;

  Time start_;
  std::string phase_;
  std::deque<Moment> moments_;  // of the last half minute, since the phase began
};

}  // namespace shardmill::cli
