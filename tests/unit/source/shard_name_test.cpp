#include "source/shard_name.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

namespace shardmill::source {
namespace {

TEST(ShardName, IsToldByItsSuffix) {
  for (const std::string_view name : {"x.tar", "x.tar.bz2", "x.tgz", "x.TAR.GZ", "x.Tar.bgz", "x.tar.gzip",
                                      "x.taz", "x.tb2", "x.tar.lzma", "x.tar.Z", "x.y.tar.zst"}) {
    EXPECT_TRUE(has_shard_name(name)) << name;
  }
  for (const std::string_view name :
       {"x", "tar", "x.gz", "x.tar.idx", "x.tar.gz.part", "x.tar.md5", "x.txt", "xtar", ""}) {
    EXPECT_FALSE(has_shard_name(name)) << name;
  }
}

TEST(ShardName, WithoutItsSuffix) {
  EXPECT_EQ(without_shard_suffix("a.b.tar.bz2"), "a.b");
  EXPECT_EQ(without_shard_suffix("a.TGZ"), "a");
  EXPECT_EQ(without_shard_suffix("a.gz"), "a.gz");
}

}  // namespace
}  // namespace shardmill::source
