#include "dataset/rank_lists.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.hpp"
#include "ranks/ranks.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::dataset {
namespace {

using testing::MadeDataset;

MadeDataset& with_ranks(MadeDataset& made) {
  ranks::run_ranks({.targets = {made.folder()}, .world_sizes = {2, 1}, .loaders = {}}, made.workers(),
                   made.reporter());
  return made;
}

std::uint64_t findings_in(const MadeDataset& made) {
  FindingList findings;
  const DatasetRecords records = sound_records(made.folder());
  check_rank_lists(records, findings);
  return findings.take().size();
}

TEST(RankLists, AsWrittenTheyAreGood) {
  MadeDataset made;
  EXPECT_EQ(findings_in(made), 0u);  // nothing is there
  EXPECT_EQ(findings_in(with_ranks(made)), 0u);
}

TEST(RankLists, EveryChangedAndEveryMissingFileIsFound) {
  MadeDataset made;
  with_ranks(made);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(made.path("ranks"))) {
    if (!entry.is_regular_file()) continue;
    ++files;
    const std::string name = entry.path().lexically_relative(made.folder()).string();
    const std::string content = made.read(name);
    for (std::size_t at = 0; at < content.size(); at += 1 + content.size() / 9) {
      made.flip(name, at);
      EXPECT_GT(findings_in(made), 0u) << name << " at " << at;
      made.write(name, content);
    }
    std::filesystem::remove(entry.path());
    EXPECT_GT(findings_in(made), 0u) << name;
    made.write(name, content);
  }
  EXPECT_GE(files, 5u);
  EXPECT_EQ(findings_in(made), 0u);
}

TEST(RankLists, AFolderOfOthersIsRefused) {
  const testing::TemporaryFolder folder;
  const RankFiles files{{"plan.json", "{}"}};
  EXPECT_NO_THROW(check_rank_folder(folder.path().string(), files));
  folder.write("plan.json", "my own");
  EXPECT_THROW(check_rank_folder(folder.path().string(), files), Error);
  EXPECT_EQ(std::filesystem::file_size(folder.file("plan.json")), 6u);
}

TEST(ShardPaths, FindShardsInAnyPlace) {
  std::vector<manifest::ShardRecord> shards(2);
  shards[0].path = "shards/a_0.tar";
  shards[1].path = "shards/a_1.tar";
  const ShardPaths paths(shards);
  EXPECT_EQ(paths.named_by("/data/old/shards/a_1.tar"), "shards/a_1.tar");
  EXPECT_EQ(paths.named_by("/data/shards/a_2.tar"), std::nullopt);
  EXPECT_EQ(paths.named_by("/data/myshards/a_1.tar"), std::nullopt);
  EXPECT_EQ(paths.named_by(""), std::nullopt);
}

}  // namespace
}  // namespace shardmill::dataset
