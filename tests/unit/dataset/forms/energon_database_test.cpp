#include "dataset/forms/energon_database.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/io/file.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::dataset {
namespace {

constexpr const char* kDatabaseFile = ".nv-meta/index.sqlite";
constexpr const char* kUuidFile = ".nv-meta/index.uuid";

/// `samples` samples of two members each, as a tar has them.
ShardLayout layout_of_samples(std::size_t samples, const std::string& prefix) {
  ShardLayout layout;
  for (std::size_t i = 0; i < samples; ++i) {
    const std::string key = prefix + std::to_string(i * 7919 % 100'003);
    layout.samples.push_back(
        {.header_offset = layout.end_offset,
         .members = {
             {.name = key + ".txt", .extension = "txt", .offset = layout.end_offset + 512, .bytes = 3},
             {.name = key + ".wav", .extension = "wav", .offset = layout.end_offset + 1536, .bytes = 600}}});
    layout.end_offset += 2560;
  }
  return layout;
}

struct Made {
  std::string database;
  std::string uuid;
};

Made made_of(const ShardLayout& layout, const std::string& name, const std::string& sha256) {
  const testing::TemporaryFolder folder;
  EnergonDatabase database(folder.path().string());
  database.add(layout, "x.tar", name, sha256);
  EXPECT_FALSE(database.obstacle());
  const auto files = database.commit();
  EXPECT_EQ(files.size(), 2U);
  Made made{.database = base::read_text(folder.file(kDatabaseFile)),
            .uuid = base::read_text(folder.file(kUuidFile))};
  EXPECT_EQ(files[0].path, kDatabaseFile);
  EXPECT_EQ(files[0].sha256, base::sha256_hex(base::as_bytes(made.database)));
  EXPECT_EQ(files[1].path, kUuidFile);
  EXPECT_EQ(files[1].sha256, base::sha256_hex(base::as_bytes(made.uuid)));
  return made;
}

// More than the cache holds.
TEST(EnergonDatabase, TheBytesFollowFromTheShards) {
  const ShardLayout layout = layout_of_samples(100'000, "key_");
  const Made first = made_of(layout, "shards/x.tar", "ab");
  const Made second = made_of(layout, "shards/x.tar", "ab");
  EXPECT_TRUE(first.database == second.database);
  EXPECT_EQ(first.database.size() % 4096, 0U);
  EXPECT_EQ(first.database.substr(0, 16), std::string("SQLite format 3\0", 16));
  EXPECT_EQ(first.uuid, second.uuid);
}

TEST(EnergonDatabase, TheUuidTellsShardsApart) {
  const ShardLayout layout = layout_of_samples(3, "key_");
  const std::string uuid = made_of(layout, "shards/x.tar", "ab").uuid;
  ASSERT_EQ(uuid.size(), 36U);
  EXPECT_EQ(uuid[14], '8');
  EXPECT_NE(made_of(layout, "shards/y.tar", "ab").uuid, uuid);
  EXPECT_NE(made_of(layout, "shards/x.tar", "cd").uuid, uuid);
  EXPECT_NE(made_of(layout_of_samples(3, "other_"), "shards/x.tar", "ab").uuid, uuid);
  EXPECT_NE(made_of(layout_of_samples(2, "key_"), "shards/x.tar", "ab").uuid, uuid);
}

TEST(EnergonDatabase, KeysThatPreventIt) {
  ShardLayout layout = layout_of_samples(3, "key_");
  const testing::TemporaryFolder folder;
  {
    EnergonDatabase database(folder.path().string());
    database.add(layout, "x.tar", "x.tar", "");
    database.add(layout, "y.tar", "y.tar", "");
    ASSERT_TRUE(database.obstacle());
    EXPECT_EQ(database.obstacle()->where().path, "y.tar");
    EXPECT_EQ(database.obstacle()->where().member, "key_0.txt");
  }
  layout.samples.back().members.front().name = "\xff.txt";
  {
    EnergonDatabase database(folder.path().string());
    database.add(layout, "x.tar", "x.tar", "");
    ASSERT_TRUE(database.obstacle());
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path() / ".nv-meta"));  // nothing half done is left
}

}  // namespace
}  // namespace shardmill::dataset
