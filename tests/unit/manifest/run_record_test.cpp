#include "manifest/run_record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "base/error.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::manifest {
namespace {

using shardmill::testing::TemporaryFolder;

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

TEST(RunRecord, ReadsBackAndOthersReadIt) {
  const TemporaryFolder folder;
  const std::string text = to_json(run_record());
  const RunRecord record = read_run_record(folder.write("run.json", text));
  EXPECT_EQ(to_json(record), text);
  EXPECT_EQ(record.inputs[0].mtime_ns, 1700000000123456789);
  EXPECT_EQ(nlohmann::json::parse(text)["versions"]["libzstd"], "1.5.4");
}

TEST(RunRecord, KnowsWhatWasSent) {
  const TemporaryFolder folder;
  EXPECT_EQ(to_json(run_record()).find("sent"), std::string::npos);
  RunRecord record = run_record();
  record.sent_crc64 = {{"data.list", "rosUhgp5mIg="}, {"shards/a_000000000.tar", "AAAAAAAAAAA="}};
  record.sent_tags = {{"data.list", "0123-4"}};
  const std::string text = to_json(record);
  EXPECT_EQ(nlohmann::json::parse(text)["sent_crc64nvme"]["data.list"], "rosUhgp5mIg=");
  EXPECT_EQ(nlohmann::json::parse(text)["sent_etags"]["data.list"], "0123-4");
  EXPECT_EQ(to_json(read_run_record(folder.write("run.json", text))), text);
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
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

SplitRecord some_split() {
  SplitRecord record{.by = "speaker",
                     .wanted = "dev=7200,test=3600",
                     .sizing = "shards=32",
                     .options = {{"seed", "7"}, {"codec", "none"}},
                     .inputs_xxh3 = {},
                     .parts = {}};
  record.inputs_xxh3.bytes[0] = std::byte{0xab};
  record.parts = {{.name = "train", .shards = 32, .samples = 1000, .seconds = 4000.125, .groups = {}},
                  {.name = "dev", .shards = 2, .samples = 50, .seconds = 200, .groups = 3}};
  return record;
}

class SplitRecordTest : public ::testing::Test {
 protected:
  std::string problem_of(const nlohmann::json& record) const {
    try {
      read_split_record(folder.write("split.json", record.dump()));
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  }
  nlohmann::json ours = nlohmann::json::parse(to_json(some_split()));
  testing::TemporaryFolder folder;
};

TEST_F(SplitRecordTest, WhatWasWrittenIsRead) {
  const SplitRecord record = some_split();
  const SplitRecord read = read_split_record(folder.write("split.json", to_json(record)));
  EXPECT_EQ(read.by, record.by);
  EXPECT_EQ(read.wanted, record.wanted);
  EXPECT_EQ(read.sizing, record.sizing);
  EXPECT_EQ(read.options, record.options);
  EXPECT_EQ(read.inputs_xxh3, record.inputs_xxh3);
  ASSERT_EQ(read.parts.size(), 2U);
  EXPECT_EQ(read.parts[0].name, "train");
  EXPECT_EQ(read.parts[0].shards, 32U);
  EXPECT_EQ(read.parts[0].samples, 1000U);
  EXPECT_EQ(read.parts[0].seconds, 4000.125);
  EXPECT_EQ(read.parts[1].groups, 3U);
  EXPECT_TRUE(to_json(record).ends_with("}\n"));
}

TEST_F(SplitRecordTest, ANewerFormatIsNotGuessedAt) {
  ours["split_format_version"] = 2;
  EXPECT_THAT(problem_of(ours), HasSubstr("newer shardmill"));
  EXPECT_THAT(problem_of(ours), HasSubstr("split.json"));
}

TEST_F(SplitRecordTest, EachFieldIsNeeded) {
  for (const char* name :
       {"split_format_version", "by", "wanted", "sizing", "splits", "options", "inputs_xxh3"}) {
    nlohmann::json without = ours;
    without.erase(name);
    EXPECT_THAT(problem_of(without), HasSubstr(name));
  }
  for (const char* name : {"name", "shards", "samples", "seconds"}) {
    nlohmann::json without = ours;
    without["splits"][1].erase(name);
    EXPECT_THAT(problem_of(without), HasSubstr(name));
  }
}

TEST_F(SplitRecordTest, ANameThatLeadsOutOfTheFolderIsRefused) {
  for (const char* name : {"", ".", "..", ".hidden", "../train", "/etc", "a/b"}) {
    ours["splits"][0]["name"] = name;
    EXPECT_THAT(problem_of(ours), HasSubstr("cannot be a folder")) << name;
  }
}

TEST_F(SplitRecordTest, TheNamesOfAFolder) {
  EXPECT_THAT(split_names(folder.path().string()), IsEmpty());
  folder.write("split.json", ours.dump());
  EXPECT_THAT(split_names(folder.path().string()), ElementsAre("train", "dev"));
  folder.write("split.json", R"({"ours": false})");
  EXPECT_THAT(split_names(folder.path().string()), IsEmpty()) << "a file of somebody else";
}

TEST_F(SplitRecordTest, OtherJsonIsToldFromOursAndFromNone) {
  EXPECT_FALSE(is_other_json(folder.write("ours", ours.dump())));
  EXPECT_TRUE(is_other_json(folder.write("object", R"({"a": 1})")));
  EXPECT_TRUE(is_other_json(folder.write("list", "[1, 2]")));
  EXPECT_FALSE(is_other_json(folder.write("cut", R"({"split_format)")));
  EXPECT_FALSE(is_other_json(folder.file("missing")));
}

}  // namespace
}  // namespace shardmill::manifest
