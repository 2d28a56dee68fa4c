#include "base/system/cpu_speed.hpp"

#include <algorithm>
#include <ctime>

namespace shardmill::base {

namespace {

constexpr double kEnoughSeconds = 0.1;
constexpr int kMostRounds = 100;

double thread_cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

double cpu_speed(const std::function<double()>& work) {
  double best = 0;
  double spent = 0;
  for (int round = 0; round < kMostRounds && spent < kEnoughSeconds; ++round) {
    const double start = thread_cpu_seconds();
    const double units = work();
    const double seconds = thread_cpu_seconds() - start;
    spent += seconds;
    if (seconds > 0) best = std::max(best, units / seconds);
  }
  return best;
}

}  // namespace shardmill::base
