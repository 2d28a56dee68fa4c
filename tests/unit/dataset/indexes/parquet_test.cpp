#include "dataset/indexes/parquet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::dataset {
namespace {

using testing::MadeDataset;

std::vector<ShardToIndex> shard_of_parquet(const MadeDataset& made) {
  return {{.path = made.path("shards/audio_000000000.tar"),
           .name = "shards/audio_000000000.tar",
           .manifest = made.path("manifests/manifest_000000000.json")}};
}

TEST(Parquet, ATableForEachShardAndACard) {
  MadeDataset made;
  const testing::TemporaryFolder out;
  WrittenIndexes written;
  write_parquet(shard_of_parquet(made), out.path().string(), made.workers(), made.reporter(), written);
  ASSERT_EQ(written.files.size(), 2u);
  EXPECT_EQ(parquet_names(1),
            (std::vector<std::string>{"parquet/train-00000-of-00001.parquet", "parquet/README.md"}));
  const std::string table = base::read_text(out.file(parquet_names(1).front()));
  EXPECT_TRUE(table.starts_with("PAR1"));
  EXPECT_TRUE(table.ends_with("PAR1"));
  EXPECT_THAT(table, ::testing::HasSubstr(R"({"info":{"features":{"audio":{"_type":"Audio"},"text":)"));
}

TEST(Parquet, ASampleOfMoreThan2GiBIsAnErrorBeforeAnythingIsWritten) {
  MadeDataset made;
  std::string lines = made.read("manifests/manifest_000000000.json");
  const std::string name = "\"audio_bytes\":";
  const std::size_t begin = lines.rfind(name) + name.size();
  lines.replace(begin, lines.find(',', begin) - begin, "2147483648");
  made.write("manifests/manifest_000000000.json", lines);
  const testing::TemporaryFolder out;
  WrittenIndexes written;
  try {
    write_parquet(shard_of_parquet(made), out.path().string(), made.workers(), made.reporter(), written);
    FAIL() << "was written";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("2 GiB"));
    EXPECT_FALSE(error.where().member.empty());
  }
  EXPECT_FALSE(base::may_exist(out.file("parquet")));
}

TEST(Parquet, ThousandsOfColumnsAreAnError) {
  MadeDataset made;
  std::string lines = made.read("manifests/manifest_000000000.json");
  std::string facts;
  for (int i = 0; i < 1001; ++i) facts += ",\"fact" + std::to_string(i) + "\":1";
  lines.insert(lines.find('}'), facts);
  made.write("manifests/manifest_000000000.json", lines);
  const testing::TemporaryFolder out;
  WrittenIndexes written;
  EXPECT_THROW(
      write_parquet(shard_of_parquet(made), out.path().string(), made.workers(), made.reporter(), written),
      Error);
}

}  // namespace
}  // namespace shardmill::dataset
