#include "dataset/indexes/lhotse.hpp"

#include <gtest/gtest.h>

#include "base/io/file.hpp"
#include "manifest/loader_index.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::dataset {
namespace {

using testing::MadeDataset;

ShardToIndex shard_with(const testing::TemporaryFolder& folder, const std::string& name,
                        const std::string& manifest) {
  folder.write(name, manifest);
  return {.path = {}, .name = {}, .manifest = folder.file(name)};
}

TEST(LineIndexes, WhereEachLineBeginsAndWhereTheFileEnds) {
  MadeDataset made;
  const testing::TemporaryFolder folder;
  const std::vector<ShardToIndex> shards{shard_with(folder, "a", "{}\n{\"b\":1}\n"),
                                         shard_with(folder, "b", ""), shard_with(folder, "c", "{}\n{}")};
  WrittenIndexes written;
  write_line_indexes(shards, folder.path().string(), made.workers(), made.reporter(), written);
  const auto places = [](std::vector<std::uint64_t> numbers) { return manifest::lhotse_index(numbers); };
  const std::vector<std::string> names = line_index_names(3);
  EXPECT_EQ(base::read_text(folder.file(names[0])), places({0, 3, 11}));
  EXPECT_EQ(base::read_text(folder.file(names[1])), places({0}));
  EXPECT_EQ(base::read_text(folder.file(names[2])), places({0, 3, 5}));
  EXPECT_EQ(names[3], "tarred_audio_manifest.json.idx");
  EXPECT_EQ(base::read_text(folder.file(names[3])), places({0, 3, 11, 14, 16}));
  EXPECT_EQ(written.files.size(), 4u);
}

TEST(RootedIndexes, RepeatTheAbsolutePath) {
  const std::vector<ShardToIndex> shards{{.path = "/now/shards/a.tar",
                                          .name = "shards/a.tar",
                                          .manifest = "/now/m",
                                          .listed = "/data/x/shards/a.tar"}};
  const std::vector<RootedIndex> indexes = rooted_indexes(shards);
  ASSERT_EQ(indexes.size(), 3u);
  EXPECT_EQ(indexes[0].name, "lhotse/data/x/shards/a.tar.idx");
  EXPECT_EQ(indexes[0].beside, "shards/a.tar.idx");
  EXPECT_EQ(indexes[0].tar, "/now/shards/a.tar");
  EXPECT_EQ(indexes[1].name, "lhotse/data/x/manifests/manifest_000000000.json.idx");
  EXPECT_EQ(indexes[2].name, "lhotse/data/x/tarred_audio_manifest.json.idx");
  EXPECT_EQ(rooted_indexes({{.path = "/y/b.tar", .name = "b.tar", .manifest = {}}})[0].name,
            "lhotse/y/b.tar.idx");
}

TEST(LineIndexes, NoneForShardsWithoutManifests) {
  MadeDataset made;
  const testing::TemporaryFolder folder;
  WrittenIndexes written;
  write_line_indexes({{.path = "a.tar", .name = "a.tar", .manifest = {}}}, folder.path().string(),
                     made.workers(), made.reporter(), written);
  EXPECT_TRUE(written.files.empty());
}

}  // namespace
}  // namespace shardmill::dataset
