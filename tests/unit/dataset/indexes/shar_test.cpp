#include "dataset/indexes/shar.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::dataset {
namespace {

using testing::MadeDataset;

std::vector<ShardToIndex> first_shard(const MadeDataset& made) {
  return {{.path = made.path("shards/audio_000000000.tar"),
           .name = "shards/audio_000000000.tar",
           .manifest = made.path("manifests/manifest_000000000.json")}};
}

TEST(Shar, APairOfFilesForEachShard) {
  MadeDataset made;
  const testing::TemporaryFolder out;
  WrittenIndexes written;
  write_shar(first_shard(made), out.path().string(), made.workers(), made.reporter(), written);
  ASSERT_EQ(written.files.size(), 2u);
  EXPECT_EQ(shar_names(1),
            (std::vector<std::string>{"shar/cuts.000000.jsonl.gz", "shar/recording.000000.tar"}));
  const std::string tar = base::read_text(out.file("shar/recording.000000.tar"));
  EXPECT_EQ(tar.size() % 512, 0u);
  EXPECT_NE(tar.find("RIFF"), std::string::npos);
  EXPECT_NE(tar.find("\"sources\":[{\"type\":\"shar\""), std::string::npos);
}

TEST(Shar, AudioThatIsNotWhatTheManifestDescribesIsAnError) {
  MadeDataset made;
  std::string tar = made.read("shards/audio_000000000.tar");
  tar[tar.find("RIFF") + 60] ^= 1;
  made.write("shards/audio_000000000.tar", tar);
  const testing::TemporaryFolder out;
  WrittenIndexes written;
  EXPECT_THROW(write_shar(first_shard(made), out.path().string(), made.workers(), made.reporter(), written),
               Error);
}

}  // namespace
}  // namespace shardmill::dataset
