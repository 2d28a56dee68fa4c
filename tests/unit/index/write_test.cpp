#include "index/write.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "base/error.hpp"
#include "check/verification.hpp"
#include "codec/codec_files.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::index {

namespace {

using testing::MadeDataset;

TEST(Index, ADatasetStaysGoodAndKnowsItsIndexes) {
  MadeDataset made;
  IndexOptions options;
  options.targets = {made.folder()};
  options.kinds = {dataset::form_named("wids"), dataset::form_named("dali"), dataset::form_named("energon")};
  const IndexSummary summary = run_index(options, made.workers(), made.reporter());
  EXPECT_EQ(summary.samples, MadeDataset::kSamples);
  EXPECT_FALSE(summary.files.empty());
  for (const std::string& file : summary.files) EXPECT_TRUE(std::filesystem::exists(made.path(file))) << file;
  const auto verified =
      check::run_verify({.targets = {made.folder()}, .against = {}}, made.workers(), made.reporter());
  EXPECT_EQ(verified.count(Finding::Severity::finding), 0u);
  // A bit of an index that is flipped is found from now on.
  made.flip(summary.files.front(), 3);
  EXPECT_GT(check::run_verify({.targets = {made.folder()}, .against = {}}, made.workers(), made.reporter())
                .count(Finding::Severity::finding),
            0u);
}

TEST(Index, ShardsOfAnyOriginGetTheSameAsTheirDataset) {
  MadeDataset made;
  const testing::TemporaryFolder folder;
  for (const char* shard : {"audio_000000000.tar", "audio_000000001.tar"})
    folder.write(shard, made.read(std::string("shards/") + shard));
  IndexOptions options;
  options.targets = {folder.file("audio_000000000.tar"), folder.file("audio_000000001.tar")};
  options.kinds = {dataset::form_named("dali")};
  const IndexSummary alone = run_index(options, made.workers(), made.reporter());
  options.targets = {made.folder()};
  const IndexSummary dataset = run_index(options, made.workers(), made.reporter());
  ASSERT_EQ(alone.files.size(), dataset.files.size());
  for (std::size_t i = 0; i < alone.files.size(); ++i)
    EXPECT_EQ(base::read_text(alone.folder + "/" + alone.files[i]), made.read(dataset.files[i]));
}

TEST(Index, WhatNeedsManifestsIsNotMadeOfOtherShards) {
  MadeDataset made;
  IndexOptions options;
  options.targets = {made.source()};
  options.kinds = {dataset::form_named("amphion")};
  EXPECT_THROW(run_index(options, made.workers(), made.reporter()), UsageError);
}

}  // namespace

namespace {

using testing::MadeDataset;

IndexOptions options(std::vector<std::string> targets, std::string_view kind) {
  IndexOptions made;
  made.targets = std::move(targets);
  made.kinds = {dataset::form_named(kind)};
  return made;
}

TEST(IndexTarget, ADatasetHasAllItsShardsWithTheirManifests) {
  MadeDataset made;
  const Target target =
      dataset_target(made.folder(), options({made.folder()}, "amphion"), made.workers(), made.reporter());
  EXPECT_EQ(target.folder, made.folder());
  EXPECT_EQ(target.samples, MadeDataset::kSamples);
  ASSERT_EQ(target.shards.size(), 2u);
  EXPECT_EQ(target.shards[1].name, "shards/audio_000000001.tar");
  EXPECT_EQ(target.shards[1].manifest, made.path("manifests/manifest_000000001.json"));
}

TEST(IndexTarget, OtherShardsAreIndexedInTheFolderThatHoldsThemAll) {
  const testing::TemporaryFolder folder;
  const MadeDataset made;
  const std::string tar = made.read("shards/audio_000000000.tar");
  const std::vector<std::string> paths{folder.write("a/b/x.tar", tar), folder.write("a/c/d/y.tar", tar)};
  const Target target = shard_target(options(paths, "wids"));
  EXPECT_EQ(target.folder, std::filesystem::canonical(folder.file("a")).string());
  ASSERT_EQ(target.shards.size(), 2u);
  EXPECT_EQ(target.shards[0].name, "b/x.tar");
  EXPECT_EQ(target.shards[1].name, "c/d/y.tar");
}

TEST(IndexTarget, CompressedShardsAndThoseWithoutManifestsAreRefused) {
  const testing::TemporaryFolder folder;
  const MadeDataset made;
  const std::string packed = codec::testing::through("gzip -c", made.read("shards/audio_000000000.tar"));
  const std::string path = folder.write("x.tar.gz", packed);
  EXPECT_THROW(shard_target(options({path}, "wids")), Error);
  EXPECT_THROW(shard_target(options({made.source()}, "amphion")), UsageError);
}

}  // namespace

namespace {

using ::testing::HasSubstr;
using testing::MadeDataset;

TEST(MixTest, SharesFollowTheTemperature) {
  const MadeDataset one;
  const MadeDataset two([](auto& options) { options.recipe.weights = {{"set", 3}}; });
  for (const double temperature : {0.0, 0.5, 1.0}) {
    const Mix mix = mix_datasets({.folders = {one.folder(), two.folder()}, .temperature = temperature});
    ASSERT_EQ(mix.parts.size(), 2U);
    EXPECT_NEAR(mix.parts[1].seconds, 3 * mix.parts[0].seconds, 1e-6);
    EXPECT_NEAR(mix.parts[1].share / mix.parts[0].share, std::pow(3, temperature), 1e-6);
    EXPECT_NEAR(mix.parts[0].share + mix.parts[1].share, 1, 1e-12);
    // Samples of both last as long on average.
    EXPECT_NEAR(mix.parts[0].weight, mix.parts[0].share, 1e-6);
    EXPECT_THAT(mix.yaml, HasSubstr("- type: nemo_tarred\n"));
    EXPECT_THAT(mix.yaml, HasSubstr("audio__OP_000000000..000000001_CL_.tar\""));
  }
}

TEST(MixTest, WhatALoaderCannotReadIsAnError) {
  const MadeDataset packed([](auto& options) { options.recipe.codec = codec::Codec::zstd; });
  EXPECT_THROW(mix_datasets({.folders = {packed.folder()}}), Error);
  const MadeDataset made;
  EXPECT_THROW(mix_datasets({.folders = {made.folder(), made.folder() + "/"}}), UsageError);
  EXPECT_THROW(mix_datasets({.folders = {made.folder() + "/shards"}}), Error);
}

}  // namespace
}  // namespace shardmill::index
