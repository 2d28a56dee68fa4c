#include "manifest/shard_record.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "manifest/record_lines.hpp"

namespace shardmill::manifest {
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
