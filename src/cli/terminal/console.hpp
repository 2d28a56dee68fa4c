// Console: shows warnings, errors and progress of one command on standard error.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "base/reporter.hpp"
#include "cli/command_line.hpp"
#include "cli/terminal/progress_line.hpp"

namespace shardmill::cli {

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
