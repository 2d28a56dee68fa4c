#include <gtest/gtest.h>

#include "base/error.hpp"
#include "check/dataset_check.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::check {
namespace {

using testing::MadeDataset;

TEST(SoundShards, AreThoseOfTheRecords) {
  MadeDataset made;
  const SoundDataset dataset = sound_dataset(made.folder(), made.workers(), made.reporter());
  ASSERT_EQ(dataset.shards.size(), 2u);
  EXPECT_EQ(dataset.shards[0].path, made.path("shards/audio_000000000.tar"));
  EXPECT_EQ(dataset.shards[0].codec, codec::Codec::none);
  EXPECT_EQ(dataset.shards[0].record.samples + dataset.shards[1].record.samples, MadeDataset::kSamples);
}

TEST(SoundShards, AManifestThatWasEditedIsAnError) {
  MadeDataset made;
  made.flip("manifests/manifest_000000001.json", 30);
  EXPECT_THROW(sound_dataset(made.folder(), made.workers(), made.reporter()), Error);
}

TEST(SoundShards, AShardOfAnotherSizeIsAnError) {
  MadeDataset made;
  made.write("shards/audio_000000000.tar", "short");
  EXPECT_THROW(sound_dataset(made.folder(), made.workers(), made.reporter()), Error);
}

}  // namespace
}  // namespace shardmill::check
