#include "manifest/sample_record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "manifest/record_lines.hpp"
#include "support/command_output.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::manifest {
namespace {

using shardmill::testing::TemporaryFolder;
using ::testing::HasSubstr;

constexpr auto kHash = "00112233445566778899aabbccddeeff";

SampleRecord sample_record() {
  SampleRecord record;
  record.audio_filepath = "BAC009.wav";
  record.duration_seconds = 4.2239375;
  record.text = "你好 \"x\"\n";
  record.shard_id = 3;
  record.key = "BAC009";
  record.dataset = "aishell2";
  record.audio = {.format = "wav/pcm16", .sample_rate = 16000, .channels = 1, .frames = 67583};
  record.audio_bytes = 135210;
  record.tar_offset = 1536;
  record.xxh3 = *base::Xxh128::from_hex(kHash);
  record.source = "/data/a.tar.bz2";
  record.source_key = "x/BAC.009";
  return record;
}

TEST(SampleRecord, LooksLikeNemosManifest) {
  EXPECT_EQ(
      line_of(sample_record()),
      R"({"audio_filepath":"BAC009.wav","duration":4.2239375,"text":"你好 \"x\"\n","shard_id":3,)"
      R"("key":"BAC009","dataset":"aishell2","sample_rate":16000,"sampling_rate":16000,"channels":1,)"
      R"("frames":67583,)"
      R"("format":"wav/pcm16","audio_bytes":135210,"tar_offset":1536,)"
      R"("xxh3":"00112233445566778899aabbccddeeff","source":"/data/a.tar.bz2","source_key":"x/BAC.009"})"
      "\n");
}

TEST(SampleRecord, ReadsBackWithAndWithoutOptionalFields) {
  SampleRecord record = sample_record();
  EXPECT_EQ(line_of(read_back<SampleRecord>(line_of(record))), line_of(record));
  record.text.reset();
  record.source_xxh3 = record.xxh3;
  const std::string line = line_of(record);
  EXPECT_THAT(line, HasSubstr(R"(,"source_xxh3":"00112233445566778899aabbccddeeff"})"));
  EXPECT_EQ(line_of(read_back<SampleRecord>(line)), line);
}

TEST(SampleRecord, PythonReadsTheSameValues) {
  const TemporaryFolder folder;
  const std::string path = folder.write("m.json", line_of(sample_record()));
  EXPECT_EQ(
      shardmill::testing::command_output("/usr/bin/python3 -c 'import json; r = json.loads(open(\"" + path +
                                         "\").read()); print(r[\"duration\"], ascii(r[\"text\"]), len(r))'"),
      "4.2239375 '\\u4f60\\u597d \"x\"\\n' 16\n");
}

TEST(SampleRecord, UnknownFieldsAreIgnored) {
  std::string line = line_of(sample_record());
  line.insert(1, R"("speaker":{"id":7},)");
  EXPECT_EQ(read_back<SampleRecord>(line).key, "BAC009");
}

TEST(SampleRecord, EveryFieldIsCheckedAndNamed) {
  const std::string good = line_of(sample_record());
  const auto problem = [&](const std::string& from, const std::string& to) {
    std::string line = good;
    line.replace(line.find(from), from.size(), to);
    try {
      read_back<SampleRecord>(line);
    } catch (const Error& error) {
      return error.problem();
    }
    return std::string("no error");
  };
  EXPECT_EQ(problem("\"audio_filepath\"", "\"x\""), "'audio_filepath' is missing");
  EXPECT_EQ(problem("4.2239375", "-1"), "'duration' is less than 0");
  EXPECT_EQ(problem("4.2239375", "null"), "'duration' is not a number");
  EXPECT_EQ(problem(":16000", ":4294967296"), "'sample_rate' is larger than 4294967295");
  EXPECT_EQ(problem("135210", "-1"), "'audio_bytes' is not a whole number from 0 on");
  EXPECT_EQ(problem("00112233", "0011223"), "'xxh3' is not 32 hexadecimal digits");
  EXPECT_EQ(problem("aabbcc", "AABBCC"), "'xxh3' is not 32 hexadecimal digits");
}

TEST(SampleRecord, FactsAreKeptAsTheyStand) {
  SampleRecord record = sample_record();
  record.facts = R"("speaker":{"id":7,"names":["a","é"]},"offset":1.5,"note":null)";
  const auto whole = read_back<WholeSampleRecord>(line_of(record));
  EXPECT_EQ(whole.facts, record.facts);
  EXPECT_EQ(line_of(whole), line_of(record));
}

TEST(SampleRecord, ItsOwnFieldsAreNoFacts) {
  SampleRecord record = sample_record();
  record.source_xxh3 = record.xxh3;
  EXPECT_EQ(read_back<WholeSampleRecord>(line_of(record)).facts, "");
  for (const char* name : {"audio_filepath", "duration", "text", "source_xxh3", "offset"}) {
    EXPECT_TRUE(is_sample_field(name)) << name;
  }
  for (const char* name : {"speaker", "Text", "", "texts"}) EXPECT_FALSE(is_sample_field(name)) << name;
}

}  // namespace
namespace {

const std::string kSha(64, 'a');

TEST(ShardRecord, ReadsBackAndLooksAsDocumented) {
  ShardRecord record;
  record.shard_id = 1;
  record.path = "shards/audio_000000001.tar";
  record.samples = 1000;
  record.with_text = 990;
  record.seconds = 3600;
  record.min_seconds = 0.5;
  record.max_seconds = 16.25;
  record.bytes = record.tar_bytes = 115210240;
  record.codec = "none";
  record.sha256 = kSha;
  record.shares = {{"aishell2", 600, 2000.5}, {"ls", 400, 1599.5}};
  const std::string line = line_of(record);
  EXPECT_EQ(
      line,
      R"({"shard_id":1,"path":"shards/audio_000000001.tar","samples":1000,"with_text":990,"seconds":3600.0,)"
      R"("min_seconds":0.5,"max_seconds":16.25,"bytes":115210240,"tar_bytes":115210240,)"
      R"("codec":"none","sha256":")" +
          kSha +
          R"(","datasets":{"aishell2":{"samples":600,"seconds":2000.5},)"
          R"("ls":{"samples":400,"seconds":1599.5}}})"
          "\n");
  EXPECT_EQ(line_of(read_back<ShardRecord>(line)), line);
}

TEST(ShardRecord, PathsThatLeadOutAreRefused) {
  ShardRecord record;
  record.sha256 = kSha;
  for (const char* path : {"", "/etc/passwd", "../x.tar", "shards/../../x.tar", "a\nb"}) {
    record.path = path;
    EXPECT_THROW(read_back<ShardRecord>(line_of(record)), Error) << path;
  }
}

}  // namespace
}  // namespace shardmill::manifest
