#include "library/observing.hpp"

#include <chrono>
#include <csignal>

#include "base/system/machine.hpp"

namespace shardmill::library {

namespace {

constexpr std::chrono::milliseconds kTimeBetweenReports{200};

}  // namespace

ObservingReporter::ObservingReporter(Observer& observer)
    : observer_(observer), teller_([this] { tell_until_the_end(); }) {}

ObservingReporter::~ObservingReporter() {
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  ends_.notify_one();
  teller_.join();
  tell_progress();
}

void ObservingReporter::tell_progress() {
  const base::Progress& now = base::Reporter::progress();
  observer_.progress({.input_bytes = now.input_bytes,
                      .input_bytes_total = now.input_bytes_total,
                      .output_bytes = now.output_bytes,
                      .samples = now.samples,
                      .seconds = static_cast<double>(now.audio_milliseconds) / 1e3});
}

void ObservingReporter::tell_until_the_end() {
  std::unique_lock lock(mutex_);
  while (!ends_.wait_for(lock, kTimeBetweenReports, [this] { return has_ended_; })) tell_progress();
}

int ObservingReporter::stop_signal() const noexcept {
  return observer_.stop_requested() ? SIGTERM : 0;
}

unsigned threads_of(const Limits& limits) {
  return limits.threads != 0 ? limits.threads : base::usable_cores();
}

}  // namespace shardmill::library
