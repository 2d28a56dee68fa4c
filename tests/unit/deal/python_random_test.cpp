// The expected numbers are Python 3.11's.

#include "deal/python_random.hpp"

#include <gtest/gtest.h>

#include <map>

#include "deal/loader_rule.hpp"

namespace shardmill::deal {
namespace {

TEST(PythonRandom, ShufflesAsPythonDoes) {
  const std::map<std::uint64_t, ShardNumbers> expected{{0, {7, 8, 1, 5, 3, 4, 2, 0, 9, 6}},
                                                       {1, {6, 8, 9, 7, 5, 3, 0, 4, 1, 2}},
                                                       {42, {7, 3, 2, 8, 5, 6, 9, 4, 0, 1}},
                                                       {4294967301, {5, 3, 6, 1, 9, 0, 8, 4, 7, 2}}};
  for (const auto& [seed, shuffled] : expected) {
    ShardNumbers list = list_order(10);
    PythonRandom(seed).shuffle(list);
    EXPECT_EQ(list, shuffled) << seed;
  }
}

TEST(PythonRandom, DrawsAsPythonDoesForLong) {
  PythonRandom random(7);
  std::size_t sum = 0;
  std::size_t last = 0;
  for (int i = 0; i < 2000; ++i) sum += last = random.below(1000003);
  EXPECT_EQ(last, 277614u);
  EXPECT_EQ(sum, 972728851u);
}

TEST(PythonRandom, OfOneThereIsNoChoice) {
  EXPECT_EQ(PythonRandom(3).below(1), 0u);
}

}  // namespace

}  // namespace shardmill::deal
