// A reporter that keeps what it is told.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/reporter.hpp"

namespace shardmill::testing {

class SilentReporter final : public base::Reporter {
 public:
  void warn(const Error& warning) override { keep(warnings, warning); }
  void fail(const Error& error) override { keep(errors, error); }
  void phase(std::string_view) override {}
  int stop_signal() const noexcept override { return signal; }

  std::vector<std::string> warnings;
  std::vector<std::string> errors;
  int signal = 0;

 private:
  void keep(std::vector<std::string>& list, const Error& error) {
    const std::lock_guard lock(mutex_);
    list.emplace_back(error.what());
  }

  std::mutex mutex_;
};

}  // namespace shardmill::testing
