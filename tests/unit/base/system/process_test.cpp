// Each in a process of its own: closing the streams of this one would be felt by all other tests.

#include "base/system/process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "base/reporter.hpp"

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

//~~
// Each in a process of its own: what a signal has stopped stays stopped.

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

namespace {

std::size_t running_threads() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

TEST(Threads, AFewCanRunAndNoneIsLeft) {
  const std::size_t before = running_threads();
  EXPECT_NO_THROW(check_threads(0));
  EXPECT_NO_THROW(check_threads(16));
  EXPECT_EQ(running_threads(), before);
}

TEST(ThreadsDeathTest, MoreThanTheSystemGivesAreAnError) {
#if defined(SHARDMILL_SANITIZED)
  GTEST_SKIP() << "a sanitizer needs the address space that is limited here";
#endif
  const auto try_it = [] {
    const rlimit limit{1U << 30, 1U << 30};  // room for the stacks of about a hundred threads
    ::setrlimit(RLIMIT_AS, &limit);
    try {
      check_threads(10000);
    } catch (const Error& error) {
      const bool says_so = error.problem().starts_with("cannot start 10,000 threads: the system started ");
      ::_exit(says_so && error.remedy() == Remedy::fewer_threads ? 0 : 1);
    }
    ::_exit(2);
  };
  EXPECT_EXIT(try_it(), ::testing::ExitedWithCode(0), "");
}

}  // namespace

namespace {

[[maybe_unused]] void* touched(std::size_t bytes) {
  auto* const block = static_cast<volatile char*>(std::malloc(bytes));
  block[0] = 1;
  return const_cast<char*>(block);
}

TEST(FreedMemory, LargeBlocksGoBackToTheSystem) {
#if !defined(__GLIBC__) || defined(SHARDMILL_SANITIZED)
  GTEST_SKIP() << "another allocator";
#else
  give_back_freed_memory();
  std::free(touched(std::size_t{24} << 20));  // after this, glibc would keep smaller blocks
  const auto before = mallinfo2();
  // The first ones may still find room that other tests have freed.
  std::array<void*, 64> blocks{};
  for (void*& block : blocks) block = touched(std::size_t{8} << 20);
  EXPECT_GT(mallinfo2().hblks, before.hblks);
  for (void* const block : blocks) std::free(block);
  EXPECT_EQ(mallinfo2().hblkhd, before.hblkhd);
#endif
}

}  // namespace

}  // namespace shardmill::base
