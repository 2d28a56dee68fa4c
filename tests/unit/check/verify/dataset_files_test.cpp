#include "check/verify/dataset_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "dataset/records.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::check {

namespace {

using testing::MadeDataset;

/// The places of all findings that are no notes.
std::string wrong_places(const MadeDataset& made, DatasetFiles* files = nullptr) {
  FindingList list;
  const auto records = dataset::read_records(made.folder(), list);
  list.take();
  const DatasetFiles found = find_files(records, list);
  if (files != nullptr) *files = found;
  std::string places;
  for (const Finding& finding : list.take()) {
    if (finding.severity == Finding::Severity::finding)
      places += std::filesystem::path(finding.where.path).lexically_relative(made.folder()).string() + " ";
  }
  return places;
}

TEST(DatasetFiles, AreAllThatHaveARecord) {
  const MadeDataset made;
  DatasetFiles files;
  EXPECT_EQ(wrong_places(made, &files), "");
  ASSERT_EQ(files.shards.size(), 2u);
  EXPECT_EQ(files.shards[1].shard, "shards/audio_000000001.tar");
  EXPECT_EQ(files.shards[1].manifest, "manifests/manifest_000000001.json");
  EXPECT_EQ(files.shards[0].manifest_begin, 0u);
  EXPECT_EQ(files.shards[1].manifest_begin, made.read("manifests/manifest_000000000.json").size());
  EXPECT_FALSE(files.others.empty());
  EXPECT_EQ(files.others.front(), "tarred_audio_manifest.json");
}

TEST(DatasetFiles, MissingAndForeignOnesAreFound) {
  for (const char* lost : {"shards/audio_000000001.tar", "manifests/manifest_000000000.json"}) {
    const MadeDataset made;
    std::filesystem::remove(made.path(lost));
    EXPECT_NE(wrong_places(made).find(lost), std::string::npos) << lost;
  }
  for (const char* foreign : {"shards/audio_000000002.tar", "manifests/manifest_000000002.json"}) {
    const MadeDataset made;
    made.write(foreign, "x");
    EXPECT_NE(wrong_places(made).find(foreign), std::string::npos) << foreign;
  }
}

TEST(DatasetFiles, ManifestsThatDoNotAddUpAreNotCompared) {
  const MadeDataset made;
  made.write("tarred_audio_manifest.json", made.read("tarred_audio_manifest.json") + "\n");
  DatasetFiles files;
  EXPECT_EQ(wrong_places(made, &files), "tarred_audio_manifest.json ");
  for (const ShardCase& shard : files.shards) EXPECT_FALSE(shard.manifest_begin);
}

}  // namespace

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MadeDataset;

class ParityCheckTest : public ::testing::Test {
 protected:
  std::vector<std::string> findings() {
    FindingList unreadable;
    const auto records = dataset::read_records(made_.folder(), unreadable);
    FindingList list;
    check_parity(records, list);
    std::vector<std::string> lines;
    for (const Finding& finding : list.take())
      lines.push_back(std::filesystem::path(finding.where.path).filename().string() + ": " + finding.what +
                      (finding.is_cause ? " (cause)" : ""));
    return lines;
  }
  /// The parity files, in the order of their names.
  std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(made_.path("parity")))
      all.push_back("parity/" + entry.path().filename().string());
    std::sort(all.begin(), all.end());
    return all;
  }

  MadeDataset made_{[](repack::RepackOptions& options) { options.recipe.parity = 2; }};
};

TEST_F(ParityCheckTest, WhatRepackWroteFits) {
  EXPECT_GE(names().size(), 2u);
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(ParityCheckTest, AFileUnderTheNameOfAnother) {
  const auto all = names();
  made_.write(all[0], made_.read(all[1]));
  EXPECT_THAT(findings(), ElementsAre(std::filesystem::path(all[0]).filename().string() +
                                      ": its header is that of another parity file (cause)"));
}

TEST_F(ParityCheckTest, AHeaderThatCannotBeRead) {
  const auto all = names();
  for (const std::string& content :
       {std::string(), std::string("no parity file"), made_.read(all[0]).substr(0, 100)}) {
    made_.write(all[0], content);
    EXPECT_THAT(findings(), ElementsAre(HasSubstr("(cause)"))) << content.size();
  }
}

TEST_F(ParityCheckTest, AFileThatIsMissingIsFoundByItsChecksum) {
  std::filesystem::remove(made_.path(names()[0]));
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(ParityCheckTest, WhatItProtectsIsNotWhatIsThere) {
  std::string sums = made_.read("SHA256SUMS");
  const std::size_t name = sums.find("  shards/audio_000000000.tar");
  ASSERT_NE(name, std::string::npos);
  sums[name - 1] = sums[name - 1] == '0' ? '1' : '0';
  made_.write("SHA256SUMS", sums);
  const auto found = findings();
  EXPECT_EQ(found.size(), 2u);  // Both parity files of the group protect it.
  for (const std::string& line : found)
    EXPECT_THAT(
        line,
        HasSubstr("does not fit: it protects another shards/audio_000000000.tar than SHA256SUMS names"));
}

}  // namespace

}  // namespace shardmill::check
