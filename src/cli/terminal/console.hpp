// Console: shows warnings, errors and progress of one command on standard error.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/reporter.hpp"
#include "cli/command_line.hpp"

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
  /// whole run; it is predicted from the speed of the last half minute. A phase that has read nothing shows
  /// how long it has lasted: "dealing the rest: 12 s".
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
  Time phase_start_ = start_;
  std::uint64_t phase_start_bytes_ = 0;  // read before the phase
  std::deque<Moment> moments_;           // of the last half minute, but not before the start of the phase
};

class Console : public base::Reporter {
 public:
  /// Shows progress from now on as `options` ask for.
  Console(std::string_view command, const CommonOptions& options);
  ~Console() override;

  void warn(const Error& warning) override;
  void fail(const Error& error) override;
  void phase(std::string_view name) override;
  int stop_signal() const noexcept override;

  /// Removes the progress line and shows no more progress. May be called twice.
  void end_progress();

 private:
  void show_progress();
  void print_line(const std::string& line);
  std::size_t columns() const;

  std::string command_;
  std::string prefix_;
  bool bar_ = false;
  bool stop_ = false;
  bool line_shown_ = false;
  ProgressLine line_{std::chrono::steady_clock::now()};
  std::mutex mutex_;
  std::condition_variable wake_;
  std::thread display_;
};

}  // namespace shardmill::cli
