#include "dataset/indexes/mds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::dataset {
namespace {

using testing::MadeDataset;

std::vector<ShardToIndex> shard_of_mds(const MadeDataset& made) {
  return {{.path = made.path("shards/audio_000000000.tar"),
           .name = "shards/audio_000000000.tar",
           .manifest = made.path("manifests/manifest_000000000.json")}};
}

TEST(Mds, AFileForEachShardAndAnIndex) {
  MadeDataset made;
  const testing::TemporaryFolder out;
  WrittenIndexes written;
  write_mds(shard_of_mds(made), out.path().string(), made.workers(), made.reporter(), written);
  ASSERT_EQ(written.files.size(), 2u);
  EXPECT_EQ(mds_names(1), (std::vector<std::string>{"mds/shard.00000.mds", "mds/index.json"}));
  const std::string file = base::read_text(out.file("mds/shard.00000.mds"));
  EXPECT_EQ(file.substr(0, 4), std::string("\5\0\0\0", 4));
  EXPECT_THAT(base::read_text(out.file("mds/index.json")), ::testing::HasSubstr(written.files[0].sha256));
}

TEST(Mds, AShardOfMoreThan4GiBIsAnError) {
  MadeDataset made;
  std::string lines = made.read("manifests/manifest_000000000.json");
  const std::string name = "\"audio_bytes\":";
  const std::size_t begin = lines.find(name) + name.size();
  lines.replace(begin, lines.find(',', begin) - begin, "4294967296");
  made.write("manifests/manifest_000000000.json", lines);
  const testing::TemporaryFolder out;
  WrittenIndexes written;
  try {
    write_mds(shard_of_mds(made), out.path().string(), made.workers(), made.reporter(), written);
    FAIL() << "was written";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("4 GiB"));
  }
}

}  // namespace
}  // namespace shardmill::dataset
