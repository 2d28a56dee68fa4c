#include "index/target.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.hpp"
#include "codec/codec_files.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::index {
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
}  // namespace shardmill::index
