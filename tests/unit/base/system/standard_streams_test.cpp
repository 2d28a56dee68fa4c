// Each in a process of its own: closing the streams of this one would be felt by all other tests.
#include "base/system/standard_streams.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

namespace shardmill::base {
namespace {

using ::testing::ExitedWithCode;

TEST(StandardStreamsDeathTest, NewFilesDoNotTakeTheNumbersOfClosedOnes) {
  for (int closed = 1; closed < 8; ++closed) {  // a bit for each of the three
    const auto try_it = [&] {
      for (int number = 0; number < 3; ++number) {
        if ((closed >> number & 1) != 0) ::close(number);
      }
      open_standard_streams();
      ::_exit(::open("/dev/null", O_RDONLY) > STDERR_FILENO ? 0 : 1);
    };
    EXPECT_EXIT(try_it(), ExitedWithCode(0), "") << closed;
  }
}

TEST(StandardStreamsDeathTest, ResultsForAClosedOutputAreNotLostInSilence) {
  const auto try_it = [] {
    ::close(STDOUT_FILENO);
    open_standard_streams();
    ::_exit(::write(STDOUT_FILENO, "x", 1) == -1 && errno == EBADF ? 0 : 1);
  };
  EXPECT_EXIT(try_it(), ExitedWithCode(0), "");
}

TEST(StandardStreamsDeathTest, OpenOnesStayAsTheyAre) {
  const auto try_it = [] {
    int ends[2];
    if (::pipe(ends) != 0 || ::dup2(ends[0], STDIN_FILENO) < 0) ::_exit(2);
    open_standard_streams();
    char got = 0;
    ::_exit(::write(ends[1], "x", 1) == 1 && ::read(STDIN_FILENO, &got, 1) == 1 && got == 'x' ? 0 : 1);
  };
  EXPECT_EXIT(try_it(), ExitedWithCode(0), "");
}

TEST(StandardStreamsDeathTest, MessagesReachStandardErrorWhole) {
  EXPECT_EXIT((write_to_standard_error("first\n"), write_to_standard_error("second\n"), ::_exit(0)),
              ExitedWithCode(0), "first\nsecond\n");
}

TEST(StandardStreamsDeathTest, MessagesThatNobodyReadsAreLostAndNoMore) {
  const auto try_it = [] {
    ::signal(SIGPIPE, SIG_IGN);
    int ends[2];
    if (::pipe(ends) != 0) ::_exit(2);
    ::close(ends[0]);
    ::dup2(ends[1], STDERR_FILENO);
    write_to_standard_error("nobody reads this");
    ::close(STDERR_FILENO);
    write_to_standard_error("nor this");
    ::_exit(0);
  };
  EXPECT_EXIT(try_it(), ExitedWithCode(0), "");
}

TEST(StandardStreamsDeathTest, TextOfLibrariesIsDropped) {
  const auto try_it = [] {
    silence_libraries();
    std::fputs("a library speaks\n", stderr);
    std::fflush(stderr);
    if (::write(STDERR_FILENO, "we speak\n", 9) != 9) ::_exit(1);
    ::_exit(0);
  };
  EXPECT_EXIT(try_it(), ::testing::ExitedWithCode(0), "^we speak\n$");
}

}  // namespace
}  // namespace shardmill::base
