// ProgressLine: shows the progress of the run in one line that fits the terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "base/reporter.hpp"

namespace shardmill::cli {

/// `text` with its end cut off so that it fits into `columns`. Wide characters take two columns.
std::string fitted(std::string_view text, std::size_t columns);

/// Not thread-safe. The caller gives the times, so that tests need not wait.
class ProgressLine {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit ProgressLine(Time start) : start_(start) {}

  /// Starts a phase, such as "reading".
  void phase(std::string_view name, const base::Progress& progress, Time now);

  /// "compressing:  87%  0:00:12 left  in 21.3 MB/s  ...", as much as fits. The time left is that of the
  /// whole run; it is predicted from the speed of the last half minute.
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
  std::deque<Moment> moments_;  // of the last half minute, but not before the start of the phase
};

}  // namespace shardmill::cli
