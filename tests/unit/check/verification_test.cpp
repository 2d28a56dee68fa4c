#include "check/verification.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/made_dataset.hpp"

namespace shardmill::check {
namespace {

VerifySummary summary(bool is_dataset) {
  VerifySummary made{.is_dataset = is_dataset};
  made.findings = {{.where = at("d/shards/b.tar"), .what = "x"},
                   {.where = at("d/shards/b.tar"), .what = "y"},
                   {.where = at("d/shards/a.tar"), .what = "x"},
                   {.where = at("d/manifests/a.json"), .what = "x"},
                   {.severity = Finding::Severity::note, .where = at("d/shards/c.tar"), .what = "x"}};
  return made;
}

TEST(VerifySummary, BadShardsAreNamedOnceAndNotesMakeNoneBad) {
  EXPECT_EQ(summary(true).bad_shards(), (std::vector<std::string>{"d/shards/a.tar", "d/shards/b.tar"}));
  EXPECT_EQ(summary(false).bad_shards(),
            (std::vector<std::string>{"d/manifests/a.json", "d/shards/a.tar", "d/shards/b.tar"}));
  EXPECT_EQ(summary(true).count(Finding::Severity::finding), 4u);
  EXPECT_EQ(summary(true).count(Finding::Severity::note), 1u);
}

TEST(DatasetFolder, IsKnownEvenWhenItIsNotWhole) {
  const testing::MadeDataset made;
  EXPECT_TRUE(is_dataset_folder(made.folder()));
  std::filesystem::remove(made.path("dataset.json"));
  EXPECT_TRUE(is_dataset_folder(made.folder()));
  EXPECT_FALSE(is_dataset_folder(made.path("shards")));
  EXPECT_FALSE(is_dataset_folder(made.source()));
  EXPECT_FALSE(is_dataset_folder(made.path("missing")));
}

}  // namespace
}  // namespace shardmill::check
