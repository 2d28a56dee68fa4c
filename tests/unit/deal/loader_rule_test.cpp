// Against WeNet's, WebDataset's and NeMo's own words, worked out by hand; tests/e2e/ranks_test.py has them in
// Python.
// The expected numbers are Python 3.11's.

#include "deal/loader_rule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace shardmill::deal {
namespace {

using Workers = std::vector<ShardNumbers>;

TEST(LoaderRule, NamesAreReadBack) {
  for (const Loader loader : kAllLoaders) EXPECT_EQ(loader_by_name(name(loader)), loader);
  EXPECT_FALSE(loader_by_name("wenet_old"));
}

TEST(LoaderRule, WenetGivesLineIToInstanceI) {
  const Split ranks = split(Loader::wenet, list_order(11), {.world_size = 2, .workers = 3});
  EXPECT_EQ(ranks, (Split{Workers{{0, 6}, {2, 8}, {4, 10}}, Workers{{1, 7}, {3, 9}, {5}}}));
}

TEST(LoaderRule, StridesByRankThenByWorker) {
  const Split expected{Workers{{0, 6}, {3, 9}}, Workers{{1, 7}, {4, 10}}, Workers{{2, 8}, {5}}};
  for (const Loader loader : {Loader::wenet_old, Loader::webdataset, Loader::lhotse}) {
    EXPECT_EQ(split(loader, list_order(11), {.world_size = 3, .workers = 2}), expected) << name(loader);
  }
}

TEST(LoaderRule, NemoCutsBlocksAndLeavesTheRest) {
  const Split ranks = split(Loader::nemo, list_order(11), {.world_size = 3, .workers = 2});
  EXPECT_EQ(ranks, (Split{Workers{{0, 2}, {1}}, Workers{{3, 5}, {4}}, Workers{{6, 8}, {7}}}));
}

TEST(LoaderRule, SomeShuffleAndTheOthersDoNot) {
  for (const Loader loader : kAllLoaders) {
    ShardNumbers order = epoch_order(loader, 50, 42, 3);
    EXPECT_EQ(order != list_order(50), shuffles_before_split(loader)) << name(loader);
    EXPECT_EQ(order != epoch_order(loader, 50, 42, 4), shuffles_before_split(loader)) << name(loader);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, list_order(50)) << name(loader);
  }
}

TEST(LoaderRule, WhatTheSeedDoes) {
  EXPECT_EQ(epoch_order(Loader::lhotse, 10, 40, 2), (ShardNumbers{7, 3, 2, 8, 5, 6, 9, 4, 0, 1}));
  EXPECT_EQ(epoch_order(Loader::wenet_old, 10, 40, 1), (ShardNumbers{6, 8, 9, 7, 5, 3, 0, 4, 1, 2}));
  EXPECT_EQ(epoch_order(Loader::wenet, 10, 40, 2), epoch_order(Loader::wenet, 10, 42, 0));
}

}  // namespace
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
