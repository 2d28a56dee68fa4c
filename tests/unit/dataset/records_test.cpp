#include "dataset/records.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::dataset {
namespace {

using testing::MadeDataset;

/// What is wrong with the records, the first of it; empty when nothing is.
std::string first_problem(const MadeDataset& made) {
  FindingList findings;
  const DatasetRecords records = read_records(made.folder(), findings);
  check_records(records, findings);
  for (const Finding& finding : findings.take()) {
    if (finding.severity == Finding::Severity::finding) return to_string(finding);
  }
  return {};
}

void replace(const MadeDataset& made, const std::string& file, const std::string& from,
             const std::string& to) {
  std::string text = made.read(file);
  ASSERT_NE(text.find(from), std::string::npos) << file << ": " << from;
  made.write(file, text.replace(text.find(from), from.size(), to));
}

TEST(DatasetRecords, OfASoundDatasetAreReadWhole) {
  const MadeDataset made;
  EXPECT_EQ(first_problem(made), "");
  const DatasetRecords records = sound_records(made.folder());
  EXPECT_EQ(records.dataset->samples, MadeDataset::kSamples);
  EXPECT_EQ(records.shards->size(), 2u);
  EXPECT_EQ(records.rejects, 0u);
  EXPECT_NO_THROW(check_is_finished(made.folder()));
}

// Each change keeps the file well-formed: only holding the records against each other shows it.
TEST(DatasetRecords, ContradictionsAreFound) {
  const std::vector<std::array<std::string, 3>> changes{
      {"shards.jsonl", "audio_000000001.tar", "audio_000000007.tar"},
      {"dataset.json", "\"shards\": 2", "\"shards\": 3"},
      {"dataset.json", "\"rejects\": 0", "\"rejects\": 1"},
      {"data.list", "audio_000000000.tar", "audio_000000009.tar"},
      {"run.json", "\"command\": \"shardmill", "\"command\": \"Shardmill"},
      {"rejects.jsonl", "", "{\"dataset\":\"\",\"source\":\"\",\"reason\":\"no_text\",\"problem\":\"\"}\n"}};
  for (const auto& [file, from, to] : changes) {
    const MadeDataset made;
    replace(made, file, from, to);
    EXPECT_NE(first_problem(made), "") << file << ": " << to;
    EXPECT_THROW(sound_records(made.folder()), Error) << file << ": " << to;
  }
}

TEST(DatasetRecords, AMissingRecordIsAFindingAndTheOthersAreRead) {
  for (const char* lost : {"run.json", "shards.jsonl", "SHA256SUMS", "data.list"}) {
    const MadeDataset made;
    std::filesystem::remove(made.path(lost));
    EXPECT_NE(first_problem(made).find(lost), std::string::npos) << lost;
    FindingList findings;
    EXPECT_EQ(read_records(made.folder(), findings).dataset->samples, MadeDataset::kSamples);
  }
}

TEST(DatasetRecords, WithoutDatasetJsonItIsNotFinished) {
  const MadeDataset made;
  std::filesystem::remove(made.path("dataset.json"));
  EXPECT_THROW(check_is_finished(made.folder()), Error);
  EXPECT_THROW(check_is_finished(made.path("nowhere")), Error);
}

}  // namespace
}  // namespace shardmill::dataset
