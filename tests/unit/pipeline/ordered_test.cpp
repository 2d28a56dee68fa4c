#include "pipeline/ordered.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace shardmill::pipeline {
namespace {

constexpr std::uint64_t kMemoryBytes = std::uint64_t{64} << 20;

/// Gives the numbers below `count`, each with its cost.
auto numbers(int count, std::uint64_t bytes) {
  return [=, next = 0]() mutable -> std::optional<Costly<int>> {
    if (next == count) return std::nullopt;
    return Costly<int>{.item = next++, .bytes = bytes};
  };
}

TEST(Ordered, KeepsTheOrderOfTheSourceWhateverTakesLongest) {
  Workers workers(4, kMemoryBytes);
  ByteBudget budget(kMemoryBytes);
  std::vector<int> seen;
  run_ordered<int>({.items = 10, .budget = budget}, workers, numbers(200, 1), on_all_threads([](int& number) {
                     if (number % 7 == 0) std::this_thread::sleep_for(std::chrono::microseconds(300));
                     number *= 2;
                   }),
                   in_order([&](int number) { seen.push_back(number); }));
  ASSERT_EQ(seen.size(), 200U);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], 2 * i);
}

TEST(Ordered, HoldsNoMoreBytesThanTheBudget) {
  Workers workers(4, kMemoryBytes);
  ByteBudget budget(100);
  std::atomic<std::uint64_t> most = 0;
  int seen = 0;
  run_ordered<int>({.items = 10, .budget = budget}, workers, numbers(100, 40), on_all_threads([&](int) {
                     const std::uint64_t used = budget.used_bytes();
                     for (std::uint64_t before = most;
                          used > before && !most.compare_exchange_weak(before, used);) {
                     }
                   }),
                   in_order([&](int) { ++seen; }));
  EXPECT_EQ(seen, 100);
  EXPECT_LE(most, 100U);
  EXPECT_GE(most, 40U);
}

TEST(Ordered, LetsInWhatIsLargerThanTheBudgetAlone) {
  Workers workers(4, kMemoryBytes);
  ByteBudget budget(100);
  std::atomic<int> inside = 0;
  std::atomic<bool> was_alone = true;
  run_ordered<int>({.items = 10, .budget = budget}, workers, numbers(20, 1000), on_all_threads([&](int) {
                     if (++inside > 1) was_alone = false;
                     std::this_thread::sleep_for(std::chrono::microseconds(100));
                     --inside;
                   }));
  EXPECT_TRUE(was_alone);
}

// As for units that are let in and wait in a stage: what they hold must not keep out what they wait for.
TEST(Ordered, SharesThatAreKeptElsewhereDoNotStopIt) {
  Workers workers(2, kMemoryBytes);
  ByteBudget budget(100);
  std::vector<BudgetShare> kept;
  run_ordered<int>({.items = 4, .budget = budget}, workers, numbers(10, 60),
                   in_order([&](int, BudgetShare& share) { kept.push_back(share.split_all()); }));
  EXPECT_EQ(kept.size(), 10U);
  EXPECT_EQ(budget.used_bytes(), 600U);
}

TEST(Ordered, GivesEverythingBackWhenAStageThrows) {
  Workers workers(4, kMemoryBytes);
  ByteBudget budget(kMemoryBytes);
  const auto run = [&](auto... stages) {
    run_ordered<int>({.items = 10, .budget = budget}, workers, numbers(100, 5), stages...);
  };
  const auto fail = [](int number) {
    if (number == 50) throw std::runtime_error("fifty");
  };
  EXPECT_THROW(run(on_all_threads(fail), in_order([](int) {})), std::runtime_error);
  EXPECT_EQ(budget.used_bytes(), 0U);
  EXPECT_THROW(run(on_all_threads([](int) {}), in_order(fail)), std::runtime_error);
  EXPECT_EQ(budget.used_bytes(), 0U);
  const auto source = []() -> std::optional<Costly<int>> { throw std::runtime_error("no source"); };
  EXPECT_THROW(run_ordered<int>({.items = 10, .budget = budget}, workers, source, in_order([](int) {})),
               std::runtime_error);
  EXPECT_EQ(budget.used_bytes(), 0U);
}

TEST(ByteBudgetDeathTest, ALostShareEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        ByteBudget budget(100);
        budget.add(1);
      },
      "");
}

}  // namespace
}  // namespace shardmill::pipeline
