#include "source/set/finished_dataset.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.hpp"
#include "base/io/writer_lock.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::source {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string problem_of(const std::string& folder) {
  try {
    check_readable(folder);
    find_dataset(folder, {});
  } catch (const Error& error) {
    return error.what();
  }
  return "no problem";
}

TEST(FinishedDatasetTest, ShardsAndRecords) {
  const testing::MadeDataset made;
  EXPECT_TRUE(is_dataset(made.folder()));
  EXPECT_FALSE(is_dataset(made.path("shards")));
  const FoundDataset found = find_dataset(made.folder(), {});
  EXPECT_EQ(found.shards.size(), 2U);
  EXPECT_THAT(found.unusable, IsEmpty());
  EXPECT_THAT(found.parts, ElementsAre("set"));
}

TEST(FinishedDatasetTest, AShardThatIsGoneOrShorter) {
  const testing::MadeDataset made;
  const std::string shard = "shards/audio_000000001.tar";
  made.write(shard, made.read(shard).substr(512));
  FoundDataset found = find_dataset(made.folder(), {});
  ASSERT_EQ(found.unusable.size(), 1U);
  EXPECT_THAT(found.unusable[0].error.what(), HasSubstr("bytes, and shards.jsonl says"));
  std::filesystem::remove(made.path(shard));
  EXPECT_EQ(find_dataset(made.folder(), {}).unusable.size(), 1U);
}

TEST(FinishedDatasetTest, RecordsThatWereChanged) {
  const testing::MadeDataset made;
  made.write("shards.jsonl", made.read("shards.jsonl") + " ");
  EXPECT_THAT(problem_of(made.folder()), HasSubstr("was changed since the dataset was made"));
}

TEST(FinishedDatasetTest, ADatasetThatIsNotFinished) {
  const testing::MadeDataset made;
  EXPECT_EQ(problem_of(made.folder()), "no problem");
  std::filesystem::remove(made.path("dataset.json"));
  EXPECT_THAT(problem_of(made.folder()), HasSubstr("there is no dataset.json"));
  std::filesystem::create_directories(made.path(".shardmill"));
  const base::WriterLock lock =
      base::WriterLock::acquire(made.path(".shardmill/lock"), "shardmill update set");
  EXPECT_THAT(problem_of(made.folder()), HasSubstr("a run is at work"));
  EXPECT_THAT(problem_of(made.folder()), HasSubstr("shardmill update set"));
}

}  // namespace
}  // namespace shardmill::source
