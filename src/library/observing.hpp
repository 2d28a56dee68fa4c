// ObservingReporter: passes reports on to the observer of whoever calls the library.
#pragma once

#include "base/reporter.hpp"
#include "shardmill/observer.hpp"

namespace shardmill::library {

class ObservingReporter final : public base::Reporter {
 public:
  explicit ObservingReporter(Observer& observer) : observer_(observer) {}

  void warn(const Error& warning) override { observer_.warn(warning); }
  void fail(const Error& error) override { observer_.fail(error); }
  void phase(std::string_view name) override { observer_.phase(name); }
  int stop_signal() const noexcept override;

 private:
  Observer& observer_;
};

/// The number of threads that `limits` allows.
unsigned threads_of(const Limits& limits);

}  // namespace shardmill::library
