#include "pipeline/workers.hpp"

#include <gtest/gtest.h>

#include <atomic>
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

}  // namespace
}  // namespace shardmill::pipeline
