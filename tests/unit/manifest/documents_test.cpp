// dataset.json and run.json.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "base/error.hpp"
#include "manifest/dataset_record.hpp"
#include "manifest/run_record.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::manifest {
namespace {

using shardmill::testing::TemporaryFolder;
using ::testing::HasSubstr;

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

RunRecord run_record() {
  RunRecord record;
  record.command = "shardmill repack a=x --out y";
  record.started = "2026-01-31T12:00:00Z";
  record.seconds = 12.5;
  record.host = "node7";
  record.system = "Linux 6.1.0 x86_64";
  record.cpu = "some CPU";
  record.vector_path = "avx2";
  record.filesystem = "ext4";
  record.cores = 8;
  record.threads = 4;
  record.memory_bytes = std::uint64_t{1} << 30;
  record.list_root = "/data/y";
  record.versions = {{"shardmill", "0.1.0"}, {"libzstd", "1.5.4"}};
  record.inputs = {{"a", "x/1.tar", 1024, 1700000000123456789}, {"a", "x/2.tar", 2048, -1}};
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
  const DatasetRecord older = read_dataset_record(folder.write("dataset.json", to_json(record)));
  EXPECT_EQ(older.with_text, std::nullopt);
  EXPECT_EQ(older.datasets[0].with_text, std::nullopt);
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

TEST(DatasetRecord, TheFirstFormatDidNotSayItsVersion) {
  const TemporaryFolder folder;
  std::string text = to_json(dataset_record());
  const std::string field = "\"format_version\": 1,";
  ASSERT_NE(text.find(field), std::string::npos);
  text.erase(text.find(field), field.size());
  EXPECT_EQ(to_json(read_dataset_record(folder.write("dataset.json", text))), to_json(dataset_record()));
}

TEST(DatasetRecord, CutAtAnyByteIsRefused) {
  const TemporaryFolder folder;
  const std::string text = to_json(dataset_record());
  for (std::size_t bytes = 0; bytes + 2 <= text.size(); bytes += 7) {
    EXPECT_THROW(read_dataset_record(folder.write("dataset.json", text.substr(0, bytes))), Error) << bytes;
  }
}

TEST(RunRecord, ReadsBackAndOthersReadIt) {
  const TemporaryFolder folder;
  const std::string text = to_json(run_record());
  const RunRecord record = read_run_record(folder.write("run.json", text));
  EXPECT_EQ(to_json(record), text);
  EXPECT_EQ(record.inputs[0].mtime_ns, 1700000000123456789);
  EXPECT_EQ(nlohmann::json::parse(text)["versions"]["libzstd"], "1.5.4");
}

TEST(RunRecord, EveryFlippedBitIsNoticed) {
  const TemporaryFolder folder;
  std::string text = to_json(run_record());
  for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
    const char flip = static_cast<char>(1 << (bit % 8));
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ flip);
    ASSERT_THROW(read_run_record(folder.write("run.json", text)), Error) << bit;
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ flip);
  }
  EXPECT_NO_THROW(read_run_record(folder.write("run.json", text)));
}

TEST(RunRecord, ShortAndEmptyFilesAreRefused) {
  const TemporaryFolder folder;
  EXPECT_THROW(read_run_record(folder.write("run.json", "")), Error);
  EXPECT_THROW(read_run_record(folder.write("run.json", "{}\n")), Error);
  EXPECT_THROW(read_run_record(folder.file("missing.json")), Error);
}

}  // namespace
}  // namespace shardmill::manifest
