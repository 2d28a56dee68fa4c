#include "pipeline/intake/idle_threads.hpp"

#include <gtest/gtest.h>

#include <future>

namespace shardmill::pipeline {
namespace {

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
