#include "manifest/dataset_record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/temporary_folder.hpp"

namespace shardmill::manifest {
namespace {

using shardmill::testing::TemporaryFolder;

DatasetRecord dataset_record() {
  DatasetRecord record;
  record.shards = 2;
  record.shard_files = "shards/audio_{000000000..000000001}.tar";
  record.samples = 2000;
  record.seconds = 7200.5;
  record.bytes = record.tar_bytes = 230420480;
  record.audio_bytes = 229376000;
  record.rejects = 1;
  record.balance = {.min_samples = 1000,
                    .max_samples = 1000,
                    .min_seconds = 3600.2,
                    .mean_seconds = 3600.25,
                    .max_seconds = 3600.3};
  record.audio = {{"wav/pcm16", 16000, 1, 2000, 7200.5}};
  record.reencoded = {.samples = 1500, .clipped_samples = 3, .clipped_values = 17};
  record.datasets = {{"a", 2, 1200, 4000}, {"b", 0.5, 800, 3200.5}};
  record.options = {{"codec", "none"}, {"seed", "1"}};
  record.sources = {{"a", "data/\"a\"", 12, 1000000}, {"b", "b.list", 3, 500000}};
  return record;
}

TEST(DatasetRecord, ReadsBackAndOthersReadIt) {
  const TemporaryFolder folder;
  const std::string text = to_json(dataset_record());
  EXPECT_EQ(to_json(read_dataset_record(folder.write("dataset.json", text))), text);
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["datasets"][1]["weight"], 0.5);
  EXPECT_EQ(json["reencoded"]["clipped_samples"], 3);
  EXPECT_EQ(json["options"]["codec"], "none");
  EXPECT_EQ(json["sources"][0]["path"], "data/\"a\"");
  EXPECT_EQ(json["balance"]["mean_seconds"], 3600.25);
}

TEST(DatasetRecord, SaysHowManySamplesHaveText) {
  const TemporaryFolder folder;
  DatasetRecord record = dataset_record();
  record.with_text = 1990;
  record.texts_cleaned = 7;
  record.datasets[0].with_text = 1190;
  record.datasets[1].with_text = 800;
  const DatasetRecord read = read_dataset_record(folder.write("dataset.json", to_json(record)));
  EXPECT_EQ(read.with_text, 1990);
  EXPECT_EQ(read.texts_cleaned, 7);
  EXPECT_EQ(read.datasets[0].with_text, 1190);
  EXPECT_EQ(to_json(read), to_json(record));
}

TEST(DatasetRecord, ANewerFormatIsRefusedFirst) {
  const TemporaryFolder folder;
  const std::string path = folder.write("dataset.json", R"({"format_version":2})");
  try {
    read_dataset_record(path);
    FAIL();
  } catch (const NewerFormat& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr(path + ": was written by a newer shardmill"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("version 2"));
  }
}

TEST(DatasetRecord, CutAtAnyByteIsRefused) {
  const TemporaryFolder folder;
  const std::string text = to_json(dataset_record());
  for (std::size_t bytes = 0; bytes + 2 <= text.size(); bytes += 7) {
    EXPECT_THROW(read_dataset_record(folder.write("dataset.json", text.substr(0, bytes))), Error) << bytes;
  }
}

TEST(DatasetRecord, ReasonsOfWhatWasLeftOutReadBack) {
  const TemporaryFolder folder;
  DatasetRecord record = dataset_record();
  record.left_out = {{"bad_audio", 1}, {"too_short", 12}};
  EXPECT_EQ(read_dataset_record(folder.write("dataset.json", to_json(record))).left_out, record.left_out);
}

TEST(DatasetRecord, IsUniformOnlyWithOneRateAndOneNumberOfChannels) {
  DatasetRecord record = dataset_record();
  EXPECT_TRUE(is_uniform(record));
  record.audio.push_back({"flac/pcm16", 16000, 1, 5, 10});  // the format may differ
  EXPECT_TRUE(is_uniform(record));
  record.audio.push_back({"flac/pcm16", 16000, 2, 5, 10});
  EXPECT_FALSE(is_uniform(record));
  record.audio.back() = {"flac/pcm16", 8000, 1, 5, 10};
  EXPECT_FALSE(is_uniform(record));
  record.audio.clear();
  EXPECT_TRUE(is_uniform(record));
}

TEST(DatasetRecord, IsEvenUpToOneSampleAndTenMilliseconds) {
  const auto even = [](std::uint64_t fewest, std::uint64_t most, double least, double mean, double longest) {
    return is_even({.min_samples = fewest,
                    .max_samples = most,
                    .min_seconds = least,
                    .mean_seconds = mean,
                    .max_seconds = longest});
  };
  EXPECT_TRUE(even(10, 11, 30, 30.004, 30.009));
  EXPECT_FALSE(even(10, 12, 30, 30.004, 30.009));
  EXPECT_FALSE(even(10, 11, 30, 30.006, 30.011));
  EXPECT_TRUE(even(10, 11, 2.70, 2.705, 2.71));  // 10 ms exactly, though 2.71 - 2.70 is more than 0.01
  // With long shards, the spread may be a hundred-thousandth of the mean.
  EXPECT_TRUE(even(10, 10, 10000, 10000.05, 10000.099));
  EXPECT_FALSE(even(10, 10, 10000, 10000.05, 10000.101));
  EXPECT_FALSE(even(11, 10, 30, 30, 30));  // a record that makes no sense
}

}  // namespace
}  // namespace shardmill::manifest
