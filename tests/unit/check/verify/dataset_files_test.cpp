#include "check/verify/dataset_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>

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
}  // namespace shardmill::check
