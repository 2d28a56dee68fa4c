#include "repack/planned_bytes.hpp"

#include <gtest/gtest.h>

namespace shardmill::repack {
namespace {

RepackPlan plan_of(std::uint64_t samples, std::uint64_t bytes, std::uint32_t shards) {
  RepackPlan plan;
  plan.estimate.samples = samples;
  plan.estimate.bytes = bytes;
  plan.shards = shards;
  return plan;
}

TEST(PlannedBytes, TarsAndTheirRecords) {
  // Samples that are held back are written twice: 16 of each shard.
  EXPECT_EQ(planned_bytes(plan_of(1'000'000, 1'000'000'000, 10), 4),
            1'000'000'000u + 1'000'000'000u + 160'000u);
  EXPECT_EQ(planned_bytes(plan_of(0, 0, 1), 4), 0u);
  // Where all are held back, all are written twice, and no more.
  EXPECT_EQ(planned_bytes(plan_of(10, 1000, 10), 4), 2000u + 10'000u);
}

TEST(PlannedBytes, ShardsThatAreCompressedAtATimeAndParity) {
  RepackPlan plan = plan_of(1'000'000, 1'000'000'000, 10);
  const std::uint64_t plain = planned_bytes(plan, 4);
  plan.recipe.codec = codec::Codec::zstd;
  EXPECT_EQ(planned_bytes(plan, 4), plain + 400'000'000);
  EXPECT_EQ(planned_bytes(plan, 100), plain + 1'000'000'000);
  plan.recipe.codec = codec::Codec::none;
  plan.recipe.parity = 1;
  EXPECT_EQ(planned_bytes(plan, 4), plain + 200'000'000);
}

TEST(PlannedBytes, OnlyWhatIsTaken) {
  RepackPlan plan = plan_of(1'000'000, 1'000'000'000, 1);
  plan.recipe.intake.limit = 1000;
  EXPECT_NEAR(static_cast<double>(planned_bytes(plan, 1)), 2'016'000, 1);
  plan.recipe.intake.limit = 2'000'000;
  EXPECT_EQ(planned_bytes(plan, 1), planned_bytes(plan_of(1'000'000, 1'000'000'000, 1), 1));
}

}  // namespace
}  // namespace shardmill::repack
