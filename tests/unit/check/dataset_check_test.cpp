#include "check/dataset_check.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "archive/tar_building.hpp"
#include "manifest/json_fields.hpp"
#include "support/made_dataset.hpp"
#include "support/temporary_folder.hpp"

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

namespace {

/// 'f' for a finding, 'n' for a note.
std::string checked(const testing::TemporaryFolder& folder) {
  FindingList list;
  check_report(dataset::DatasetRecords{.folder = folder.path().string()}, list);
  std::string kinds;
  for (const Finding& finding : list.take()) {
    EXPECT_EQ(finding.where.path, folder.path().string() + "/report.html");
    kinds += finding.severity == Finding::Severity::note ? 'n' : 'f';
  }
  return kinds;
}

TEST(ReportCheck, AChangedPageIsAFindingAndAnOldOneANote) {
  const testing::TemporaryFolder folder;
  EXPECT_EQ(checked(folder), "");
  std::string page = "<!DOCTYPE html>\n<p>figures</p>\n";
  folder.write("report.html", page);
  EXPECT_EQ(checked(folder), "n");
  manifest::end_sealed_page(page);
  folder.write("report.html", page);
  EXPECT_EQ(checked(folder), "");
  page[20] = 'x';
  folder.write("report.html", page);
  EXPECT_EQ(checked(folder), "f");
}

}  // namespace

}  // namespace shardmill::check
