#include "base/system/stop_signal.hpp"

#include <poll.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>

#include "base/reporter.hpp"

namespace shardmill::base {

namespace {

// A wait is cut into pieces of this length, because another thread may get the signal.
constexpr int kLongestUnheardMilliseconds = 100;

// Written by the signal handler on any thread, and read by all threads. The handler may touch nothing else.
std::atomic<int> stop_signal_number = 0;
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void remember_signal(int number) {
  stop_signal_number = number;
}

}  // namespace

void install_stop_signals() {
  struct sigaction action {};
  action.sa_handler = remember_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int number : std::array{SIGINT, SIGTERM, SIGHUP}) ::sigaction(number, &action, nullptr);
  for (const int number : std::array{SIGPIPE, SIGXFSZ}) std::signal(number, SIG_IGN);
}

int stop_signal() noexcept {
  return stop_signal_number;
}

void check_stop() {
  if (const int number = stop_signal(); number != 0) throw Interrupted(number);
}

void wait_readable(int descriptor) {
  struct pollfd wanted {};
  wanted.fd = descriptor;
  wanted.events = POLLIN;
  // If poll() itself fails, the read that follows reports it.
  for (;;) {
    const int ready = ::poll(&wanted, 1, kLongestUnheardMilliseconds);
    if (ready > 0 || (ready < 0 && errno != EINTR)) return;
    check_stop();
  }
}

}  // namespace shardmill::base
