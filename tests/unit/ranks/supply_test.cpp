#include "ranks/supply.hpp"

#include <gtest/gtest.h>

#include "support/made_dataset.hpp"

namespace shardmill::ranks {
namespace {

using testing::MadeDataset;

TEST(LoaderSupply, AsGivenAWorkerNeedsTheTimeThatItsSpeedSays) {
  MadeDataset made;
  const RankShards shards = find_rank_shards({made.folder()}, "", made.workers(), made.reporter());
  const LoaderSupply supply = given_supply(shards, 100, 25);
  EXPECT_FALSE(supply.measured);
  EXPECT_EQ(supply.needed, 100);
  ASSERT_EQ(supply.ways.size(), 1u);
  EXPECT_EQ(supply.ways[0].workers, 4u);  // 4 x 25 = 100
  EXPECT_EQ(given_supply(shards, 101, 25).ways[0].workers, 5u);
  ASSERT_EQ(supply.shard_load_seconds.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_DOUBLE_EQ(supply.shard_load_seconds[i], shards.loads[i].seconds / 25);
}

TEST(LoaderSupply, RecordedSpeedsAreThoseOfTheCodec) {
  MadeDataset made;
  const RankShards shards = find_rank_shards({made.folder()}, "", made.workers(), made.reporter());
  const LoaderSupply supply = recorded_supply(
      shards, 100,
      {.path = "node.json", .reader = "a reader", .host = "node1", .by_codec = {{"none", 25}, {"zstd", 10}}});
  EXPECT_FALSE(supply.measured);
  EXPECT_EQ(supply.recorded, "a reader on node1");
  ASSERT_EQ(supply.ways.size(), 2u);
  EXPECT_TRUE(supply.ways[0].is_used);
  EXPECT_EQ(supply.ways[0].workers, 4u);
  EXPECT_FALSE(supply.ways[1].is_used);
  EXPECT_EQ(supply.ways[1].workers, 10u);
  ASSERT_EQ(supply.shard_load_seconds.size(), 2u);
  EXPECT_DOUBLE_EQ(supply.shard_load_seconds[1], shards.loads[1].seconds / 25);
  EXPECT_THROW(
      recorded_supply(shards, 100, {.path = "node.json", .reader = "", .host = "", .by_codec = {{"xz", 25}}}),
      Error);
}

TEST(LoaderSupply, MeasuredWithPythonItIsSlowerThanTheDecoder) {
  MadeDataset made;
  const RankShards shards = find_rank_shards({made.folder()}, "", made.workers(), made.reporter());
  const LoaderSupply supply = measured_supply(shards, 100, made.workers(), made.reporter());
  EXPECT_TRUE(supply.measured);
  EXPECT_EQ(
      std::count_if(supply.ways.begin(), supply.ways.end(), [](const auto& way) { return way.is_used; }), 1);
  for (const LoaderSupply::Way& way : supply.ways) {
    if (way.decoder_speed > 0) {
      EXPECT_LT(way.worker_speed, way.decoder_speed) << way.codec;
    }
  }
  // Five samples of a tenth of a second cost Python 0.6 ms at least.
  for (const double seconds : supply.shard_load_seconds)
    EXPECT_GE(seconds, 5 * PythonCost::kSecondsPerSample);
}

}  // namespace
}  // namespace shardmill::ranks
