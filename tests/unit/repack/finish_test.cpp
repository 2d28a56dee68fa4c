#include "repack/finish.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/io/file.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::repack {
namespace {

using testing::MadeDataset;

TEST(Finish, RunJsonSaysHowItRan) {
  MadeDataset made;
  RunOptions options;
  options.command = "shardmill x";
  dataset::Recipe recipe;
  manifest::RunRecord run;
  const RunClock clock;
  describe_run(run, options, made.folder(), recipe, clock, made.workers());
  EXPECT_EQ(run.command, "shardmill x");
  EXPECT_EQ(run.started, clock.started());
  EXPECT_EQ(run.threads, 1U);
  EXPECT_GE(run.cores, 1U);
  EXPECT_THAT(run.list_root, ::testing::EndsWith("/dataset"));
  recipe.list_root = "/data";
  describe_run(run, options, made.folder(), recipe, clock, made.workers());
  EXPECT_EQ(run.list_root, "/data");
}

TEST(Finish, RunJsonNamesTheFilesOfTheSources) {
  const MadeDataset made;
  const auto run = manifest::read_run_record(made.path("run.json"));
  ASSERT_EQ(run.inputs.size(), 1U);
  EXPECT_EQ(run.inputs[0].path, made.source());
  EXPECT_EQ(run.inputs[0].bytes, base::File::open_read(made.source()).size());
  EXPECT_EQ(run.inputs[0].dataset, "set");
}

TEST(Finish, EqualShardsNeedNoBetterDeal) {
  const MadeDataset made;
  manifest::DatasetRecord dataset = manifest::read_dataset_record(made.path("dataset.json"));
  const std::string manifest = made.path("tarred_audio_manifest.json");
  dataset.balance = {
      .min_samples = 5, .max_samples = 5, .min_seconds = 1, .mean_seconds = 1, .max_seconds = 1};
  EXPECT_FALSE(least_spread_of(dataset, manifest, Shares::alike).has_value());
  dataset.balance.max_seconds = 3;
  EXPECT_TRUE(least_spread_of(dataset, manifest, Shares::alike).has_value());
}

TEST(Finish, AShardKeepsWhatWasPacked) {
  shard::ShardTally tally;
  tally.datasets.resize(1);
  const FinishedShard shard =
      finished_shard({.path = "a.tar.zst", .bytes = 5, .sha256 = "abc"}, 10240, tally);
  EXPECT_EQ(shard.tar, "a.tar.zst");
  EXPECT_EQ(shard.record.bytes, 5U);
  EXPECT_EQ(shard.record.tar_bytes, 10240U);
  EXPECT_EQ(shard.record.sha256, "abc");
  EXPECT_TRUE(shard.is_new);
}

}  // namespace
}  // namespace shardmill::repack
