// Each in a process of its own: what a signal has stopped stays stopped.
#include "base/system/stop_signal.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <thread>

#include "base/reporter.hpp"

namespace shardmill::base {
namespace {

using ::testing::ExitedWithCode;
using ::testing::KilledBySignal;

TEST(StopSignalDeathTest, TheFirstIsRememberedAndASecondKills) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const auto first = [&] {
      install_stop_signals();
      if (stop_signal() != 0) ::_exit(1);
      std::raise(number);
      try {
        check_stop();
      } catch (const Interrupted& stop) {
        ::_exit(stop_signal() == number && stop.signal_number() == number ? 0 : 2);
      }
      ::_exit(3);
    };
    EXPECT_EXIT(first(), ExitedWithCode(0), "") << number;
    const auto second = [&] {
      install_stop_signals();
      std::raise(number);
      std::raise(number);
      ::_exit(0);
    };
    EXPECT_EXIT(second(), KilledBySignal(number), "") << number;
  }
}

TEST(StopSignalDeathTest, ABrokenPipeIsAFailedWrite) {
  const auto try_it = [] {
    install_stop_signals();
    int ends[2];
    if (::pipe(ends) != 0) ::_exit(2);
    ::close(ends[0]);
    ::_exit(::write(ends[1], "x", 1) == -1 && errno == EPIPE ? 0 : 1);
  };
  EXPECT_EXIT(try_it(), ExitedWithCode(0), "");
}

TEST(StopSignal, WaitingEndsWithDataAndWithTheEnd) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::thread writer([&] {
    ::usleep(150'000);  // longer than a single wait
    EXPECT_EQ(::write(ends[1], "x", 1), 1);
  });
  wait_readable(ends[0]);
  char got = 0;
  EXPECT_EQ(::read(ends[0], &got, 1), 1);
  writer.join();
  ::close(ends[1]);
  wait_readable(ends[0]);
  EXPECT_EQ(::read(ends[0], &got, 1), 0);
  ::close(ends[0]);
}

TEST(StopSignalDeathTest, WaitingEndsWithASignalToAnyThread) {
  const auto try_it = [] {
    install_stop_signals();
    int ends[2];
    if (::pipe(ends) != 0) ::_exit(2);
    std::thread other([] {
      ::usleep(20'000);
      std::raise(SIGTERM);  // to this thread, not to the one that waits
      for (;;) ::pause();
    });
    other.detach();
    try {
      wait_readable(ends[0]);
    } catch (const Interrupted&) {
      ::_exit(0);
    }
    ::_exit(1);
  };
  EXPECT_EXIT(try_it(), ExitedWithCode(0), "");
}

}  // namespace
}  // namespace shardmill::base
