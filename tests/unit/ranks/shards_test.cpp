#include "ranks/shards.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::ranks {
namespace {

using testing::MadeDataset;

TEST(RankShards, OfADatasetAreAsItsRecordsSayAndAsReadingThemShows) {
  MadeDataset made;
  const RankShards dataset = find_rank_shards({made.folder()}, "", made.workers(), made.reporter());
  const RankShards read = find_rank_shards({made.path("shards")}, "", made.workers(), made.reporter());
  EXPECT_TRUE(dataset.is_dataset);
  EXPECT_FALSE(read.is_dataset);
  ASSERT_EQ(dataset.shards.size(), 2u);
  ASSERT_EQ(read.shards.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(dataset.shards[i].load.samples, 5u);
    EXPECT_EQ(dataset.shards[i].load.samples, read.shards[i].load.samples);
    EXPECT_NEAR(dataset.shards[i].load.seconds, read.shards[i].load.seconds, 1e-9);
    EXPECT_EQ(dataset.shards[i].load.bytes, read.shards[i].load.bytes);
    EXPECT_EQ(dataset.shards[i].tar_bytes, read.shards[i].tar_bytes);
    EXPECT_EQ(dataset.loads[i].samples, 5u);
  }
}

TEST(RankShards, ListsNameThemBelowTheGivenRoot) {
  MadeDataset made;
  const RankShards shards = find_rank_shards({made.folder()}, "/data", made.workers(), made.reporter());
  EXPECT_EQ(shards.shards[1].list_path, "/data/shards/audio_000000001.tar");
  EXPECT_EQ(shards.shards[1].path, made.path("shards/audio_000000001.tar"));
}

TEST(RankShards, ADatasetThatDoesNotFitTogetherIsRefused) {
  for (const char* lost : {"dataset.json", "shards/audio_000000000.tar", "shards.jsonl"}) {
    MadeDataset made;
    std::filesystem::remove(made.path(lost));
    EXPECT_TRUE(is_dataset(made.folder())) << lost;
    EXPECT_THROW(find_rank_shards({made.folder()}, "", made.workers(), made.reporter()), Error) << lost;
  }
  MadeDataset counted;
  std::string shards = counted.read("shards.jsonl");
  shards.replace(shards.find("\"samples\":5"), 11, "\"samples\":4");
  counted.write("shards.jsonl", shards);
  EXPECT_THROW(find_rank_shards({counted.folder()}, "", counted.workers(), counted.reporter()), Error);
  MadeDataset made;
  made.write("shards/audio_000000000.tar", "short");
  EXPECT_THROW(find_rank_shards({made.folder()}, "", made.workers(), made.reporter()), Error);
}

}  // namespace
}  // namespace shardmill::ranks
