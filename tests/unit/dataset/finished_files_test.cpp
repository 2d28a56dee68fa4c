#include "dataset/finished_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/made_dataset.hpp"

namespace shardmill::dataset {
namespace {

/// Empty when all is there.
std::string problem(const testing::MadeDataset& made) {
  try {
    check_files_are_there(made.folder());
  } catch (const Error& error) {
    return error.problem();
  }
  return {};
}

TEST(FinishedFiles, EveryFileIsMissedAndEveryOtherSizeOfAShardIsSeen) {
  const testing::MadeDataset made;
  EXPECT_EQ(problem(made), "");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(made.folder())) {
    const std::string name = entry.path().lexically_relative(made.folder()).string();
    if (!entry.is_regular_file() || name.starts_with(".shardmill")) continue;
    const std::string content = made.read(name);
    std::filesystem::remove(entry.path());
    EXPECT_THAT(problem(made), ::testing::HasSubstr(name)) << name;
    made.write(name, content);
    if (!name.starts_with("shards/") && !name.starts_with("manifests/")) continue;
    made.write(name, content + "x");
    EXPECT_NE(problem(made), "") << name;
    made.write(name, content);
  }
  EXPECT_EQ(problem(made), "");
}

TEST(FinishedFiles, NamesAFewAndCountsTheRest) {
  const testing::MadeDataset made;
  std::filesystem::remove_all(made.path("shards"));
  std::filesystem::remove_all(made.path("manifests"));
  std::filesystem::remove(made.path("data.list"));
  std::filesystem::remove(made.path("rejects.jsonl"));
  EXPECT_THAT(problem(made), ::testing::HasSubstr("6 of its files are not as recorded"));
  EXPECT_THAT(problem(made), ::testing::EndsWith("and 1 more"));
}

}  // namespace
}  // namespace shardmill::dataset
