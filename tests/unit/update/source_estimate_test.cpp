#include "update/source_estimate.hpp"

#include <gtest/gtest.h>

namespace shardmill::update {
namespace {

Likeness with_counts(std::vector<std::uint32_t> counts) {
  return {.counts = std::move(counts), .least = {}, .most = {}};
}

TEST(ShardsFrom, TheDatasetOfWhichThereIsLeastSaysHowMany) {
  EXPECT_EQ(shards_from(with_counts({10}), {35}), 3U);
  EXPECT_EQ(shards_from(with_counts({10}), {9.9}), 0U);
  EXPECT_EQ(shards_from(with_counts({10, 4}), {100, 8}), 2U);
  EXPECT_EQ(shards_from(with_counts({10, 4}), {15, 8000}), 1U);
}

TEST(ShardsFrom, ADatasetThatTheSourcesLackFillsNone) {
  EXPECT_EQ(shards_from(with_counts({10, 4}), {100, 0}), 0U);
}

TEST(ShardsFrom, OneThatNoShardHasDoesNotCount) {
  EXPECT_EQ(shards_from(with_counts({10, 0}), {100, 5}), 10U);
  EXPECT_EQ(shards_from(with_counts({0, 0}), {100, 5}), 0U);
  EXPECT_EQ(shards_from(with_counts({}), {}), 0U);
}

}  // namespace
}  // namespace shardmill::update
