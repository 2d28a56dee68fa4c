#include "library/observing.hpp"

#include <csignal>

#include "base/system/cores.hpp"

namespace shardmill::library {

int ObservingReporter::stop_signal() const noexcept {
  return observer_.stop_requested() ? SIGTERM : 0;
}

unsigned threads_of(const Limits& limits) {
  return limits.threads != 0 ? limits.threads : base::usable_cores();
}

}  // namespace shardmill::library
