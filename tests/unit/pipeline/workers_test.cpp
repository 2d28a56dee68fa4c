#include "pipeline/workers.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <future>
#include <thread>

namespace shardmill::pipeline {
namespace {

/// The most items that for_each() had begun and not ended.
unsigned most_at_once(Workers& workers, std::uint64_t item_bytes) {
  std::atomic<unsigned> now = 0;
  std::atomic<unsigned> most = 0;
  std::atomic<unsigned> done = 0;
  const auto work = [&](std::size_t) {
    const unsigned seen = ++now;
    for (unsigned known = most; seen > known && !most.compare_exchange_weak(known, seen);) {
    }
    std::this_thread::yield();
    ++done;
    --now;
  };
  workers.for_each(1000, work, item_bytes);
  EXPECT_EQ(done, 1000U);
  return most;
}

TEST(Workers, ItemsThatHoldMuchAreFewerAtATime) {
  Workers workers(4, 100);
  EXPECT_LE(most_at_once(workers, 0), 4U);
  EXPECT_LE(most_at_once(workers, 40), 2U);
  EXPECT_EQ(most_at_once(workers, 99), 1U);
  EXPECT_EQ(most_at_once(workers, 1000), 1U);
}

std::uint64_t resident_bytes() {
  std::uint64_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

// Whoever reads many small shards makes and drops Workers faster than threads begin to work for them.
TEST(Workers, DroppedOnesLeaveNothingBehind) {
#if defined(SHARDMILL_SANITIZED)
  GTEST_SKIP() << "a sanitizer keeps freed memory for a while";
#endif
  const auto leave_nothing = [] {
    const auto many = [](int count) {
      for (int i = 0; i < count; ++i) {
        Workers workers(2, 100);
        workers.for_each(
            2, [](std::size_t) {}, 0);
      }
    };
    many(1000);
    const std::uint64_t before = resident_bytes();
    many(20000);
    const std::uint64_t after = resident_bytes();
    fmt::print(stderr, "{} bytes, then {}\n", before, after);
    std::exit(after < before + (std::uint64_t{4} << 20) ? 0 : 1);
  };
  // In a process of its own, which has no threads and memory of other tests.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(leave_nothing(), ::testing::ExitedWithCode(0), "");
}

/// The threads that the first process started are not in the second one.
TEST(Workers, AForkedProcessWorksAlone) {
  Workers before(4, 1 << 20);
  std::atomic<int> calls{0};
  before.for_each(100, [&](std::size_t) { ++calls; });
  EXPECT_EQ(calls, 100);
  for (int round = 0; round < 20; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      std::vector<std::size_t> order;
      Workers workers(4, 1 << 20);
      workers.for_each(10, [&](std::size_t i) { order.push_back(i); });
      before.for_each(10, [&](std::size_t i) { order.push_back(i); });
      ::_exit(workers.threads() == 1 && order.size() == 20 && order[9] == 9 ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
}

TEST(IdleThreadsTest, ReadAheadAsFarAsThereAreThreads) {
  EXPECT_EQ(IdleThreads(Workers(1, 1000)).most_ahead(), 1U);
  EXPECT_EQ(IdleThreads(Workers(2, 1000)).most_ahead(), 4U);
  EXPECT_EQ(IdleThreads(Workers(8, 1000)).most_ahead(), 16U);
}

TEST(IdleThreadsTest, TakeAQuarterOfTheMemoryAndNoByteMore) {
  IdleThreads threads(Workers(2, 4000));
  EXPECT_FALSE(threads.take(1001));
  EXPECT_TRUE(threads.take(600));
  EXPECT_FALSE(threads.take(401));
  EXPECT_TRUE(threads.take(400));
  EXPECT_FALSE(threads.take(1));
  EXPECT_TRUE(threads.take(0));
  threads.give_back(600);
  EXPECT_FALSE(threads.take(601));
  EXPECT_TRUE(threads.take(600));
}

TEST(IdleThreadsTest, WhatWasRefusedIsNotTaken) {
  IdleThreads threads(Workers(2, 4000));
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(threads.take(5000));
  EXPECT_TRUE(threads.take(1000));
}

TEST(IdleThreadsTest, SeveralMayAskAtOnce) {
  Workers workers(4, 4 * 1000);
  IdleThreads threads(workers);
  std::atomic<int> taken = 0;
  workers.for_each(400, [&](std::size_t) { taken += threads.take(10) ? 1 : 0; });
  EXPECT_EQ(taken, 100);
}

TEST(IdleThreadsTest, WorkThatIsBegunIsDone) {
  Workers workers(2, 4000);
  IdleThreads threads(workers);
  std::promise<int> done;
  workers.run([&] {
    threads.start([&] { done.set_value(7); });
    EXPECT_EQ(done.get_future().get(), 7);
  });
}

}  // namespace
}  // namespace shardmill::pipeline
