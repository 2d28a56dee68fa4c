#include "check/dataset_check.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "archive/tar_building.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::check {
namespace {

using testing::MadeDataset;

class DatasetCheckTest : public ::testing::Test {
 protected:
  /// The findings that are no notes, one a line.
  std::string findings(const VerifyOptions& options) {
    FindingList list;
    summary_ = {};
    verify_dataset(made_.folder(), options, made_.workers(), made_.reporter(), list, summary_);
    std::string lines;
    for (const Finding& finding : list.take()) {
      if (finding.severity == Finding::Severity::finding) lines += to_string(finding) + "\n";
    }
    return lines;
  }

  MadeDataset made_;
  VerifySummary summary_;
};

TEST_F(DatasetCheckTest, ASoundDatasetIsGood) {
  EXPECT_EQ(findings({.targets = {}, .decode = true, .against = {}}), "");
  EXPECT_EQ(summary_.samples, MadeDataset::kSamples);
  EXPECT_EQ(summary_.with_text, MadeDataset::kSamples);
  EXPECT_EQ(summary_.shards, 2u);
  EXPECT_TRUE(summary_.is_dataset);
}

TEST_F(DatasetCheckTest, AFlippedBitInAnyFileIsFoundAndSoIsALostFile) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(made_.folder())) {
    const std::string name = entry.path().lexically_relative(made_.folder()).string();
    if (!entry.is_regular_file() || name.starts_with(".shardmill")) continue;
    const std::string content = made_.read(name);
    for (const std::size_t at : {std::size_t{1}, content.size() / 2, content.size() - 1}) {
      if (at >= content.size()) continue;
      made_.flip(name, at);
      EXPECT_NE(findings({.targets = {}, .against = {}}), "") << name << " at " << at;
      made_.write(name, content);
    }
    std::filesystem::remove(entry.path());
    EXPECT_NE(findings({.targets = {}, .against = {}}), "") << name;
    made_.write(name, content);
  }
  EXPECT_EQ(findings({.targets = {}, .against = {}}), "");
}

TEST_F(DatasetCheckTest, ItIsComparedWithItsSources) {
  EXPECT_EQ(findings({.targets = {}, .against = {"set=" + made_.source()}}), "");
  EXPECT_EQ(summary_.source_samples, MadeDataset::kSamples);
}

}  // namespace
}  // namespace shardmill::check
