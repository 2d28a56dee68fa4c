// The common part of all calls of the library: reports go to an observer, failures are Errors.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/error.hpp"
#include "base/reporter.hpp"
#include "shardmill/observer.hpp"

namespace shardmill::library {

/// Passes reports on to an observer, and reports the progress regularly until it is destroyed.
class ObservingReporter final : public base::Reporter {
 public:
  explicit ObservingReporter(Observer& observer);
  ~ObservingReporter() override;
  ObservingReporter(const ObservingReporter&) = delete;
  ObservingReporter& operator=(const ObservingReporter&) = delete;

  void warn(const Error& warning) override { observer_.warn(warning); }
  void fail(const Error& error) override { observer_.fail(error); }
  void phase(std::string_view name) override { observer_.phase(name); }
  int stop_signal() const noexcept override;

 private:
  void tell_progress();
  void tell_until_the_end();

  Observer& observer_;
  std::mutex mutex_;
  std::condition_variable ends_;
  bool has_ended_ = false;
  std::thread teller_;
};

/// Does the work of a public function, whose callers know only Error.
template <typename Work>
auto with_errors(Work work) {
  try {
    return work();
  } catch (const FatalError& failure) {
    throw failure.error();
  }
}

/// The number of threads that `limits` allows.
unsigned threads_of(const Limits& limits);

}  // namespace shardmill::library
