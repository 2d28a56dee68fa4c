#include "source/set/given_files.hpp"

#include <gtest/gtest.h>

namespace shardmill::source {
namespace {

TEST(ParquetFile, SubsetsByNames) {
  for (const auto& [path, subset] : {std::pair("a/train-00000-of-00012.parquet", "train"),
                                     {"train-00000-of-00012-0123456789abcdef.parquet", "train"},
                                     {"clean/train.100-00003-of-00014.parquet", "train.100"},
                                     {"invalidated-00000-of-00001.parquet", "invalidated"},
                                     {"a/validation.parquet", "validation"},
                                     {"default/test/0000.parquet", "test"},
                                     {"train/en/0000.parquet", "train"},
                                     {"train/a/b/0000.parquet", ""},
                                     {"en/partial-train/0000.parquet", "partial-train"},
                                     {"train/partial-train/0000.parquet", "partial-train"},
                                     {"part-of-it.parquet", ""},
                                     {"-of-00012.parquet", ""},
                                     {"0000.parquet", ""}})
    EXPECT_EQ(subset_of_parquet(path), subset) << path;
}

TEST(ParquetFile, PartsThatAreNotThere) {
  const auto missing = [](const std::vector<std::string>& paths) {
    NumberedParts parts;
    for (const std::string& path : paths) parts.add(path);
    std::string text;
    for (const Error& error : parts.missing()) text += error.where().path + ": " + error.problem() + "\n";
    return text;
  };
  EXPECT_EQ(missing({"a/x-00000-of-00002.parquet", "a/x-00001-of-00002.parquet"}), "");
  EXPECT_EQ(missing({"a/x-1-of-2.parquet", "a/x-2-of-2.parquet"}), "");  // counted from 1
  EXPECT_EQ(missing({"a/x-00000-of-00002-12ab.parquet", "a/x-00001-of-00002-34cd.parquet"}), "");
  EXPECT_EQ(missing({"x.parquet", "x-of-2.parquet", "x-00000-of-00001.parquet"}), "");
  EXPECT_EQ(missing({"a/x-00000-of-00002.parquet", "b/x-00001-of-00002.parquet"}),
            "a/x-00001-of-00002.parquet: is not there, but others of these 2 parts are\n"
            "b/x-00000-of-00002.parquet: is not there, but others of these 2 parts are\n");
  EXPECT_EQ(missing({"x-00000-of-00002.tar", "x-00001-of-00002.tar"}), "");
  EXPECT_EQ(missing({"x-00000-of-00003.tar.gz", "x-00002-of-00003.tar.gz", "x-00001-of-00003.tar", "y.tar"}),
            "x-00000-of-00003.tar: is not there, and neither is 1 more, but others of these 3 parts are\n"
            "x-00001-of-00003.tar.gz: is not there, but others of these 3 parts are\n");
  EXPECT_EQ(missing({"x-000007-of-999999.parquet"}),
            "x-000000-of-999999.parquet: is not there, and neither are 999997 more, but others of these "
            "999999 parts are\n");
}

TEST(Shards, GapsInTheirNumbers) {
  const auto gaps = [](const std::vector<std::string>& paths) {
    NumberedParts parts;
    for (const std::string& path : paths) parts.add(path);
    std::string text;
    for (const Error& error : parts.gaps()) text += error.where().path + ": " + error.problem() + "\n";
    return text;
  };
  EXPECT_EQ(gaps({"a/s-000001.tar", "a/s-000003.tar", "a/s-000004.tar", "a/s-000005.tar"}),
            "a/s-000002.tar: is not there, but others of its series are\n");
  EXPECT_EQ(gaps({"s8.tar.gz", "s9.tar.gz", "s10.tar.gz", "s12.tar.gz"}),
            "s11.tar.gz: is not there, but others of its series are\n");
  EXPECT_EQ(gaps({"s1.tar", "s2.tar", "s3.tar", "s4.tar", "x.tar", "s9.tar.gz", "t/s9.tar"}), "");  // no gap
  EXPECT_EQ(gaps({"0000.parquet", "0002.parquet"}),
            "0001.parquet: is not there, but others of its series are\n");
  EXPECT_EQ(gaps({"s1.tar", "s1.tar.gz", "t/s3.tar"}), "");
  EXPECT_EQ(gaps({"s1.tar", "s3.tar", "s5.tar", "s7.tar", "s9.tar"}), "");  // a choice
  std::vector<std::string> many;
  for (int i = 100; i < 200; ++i) {
    if (i != 120 && i != 150) many.push_back("s" + std::to_string(i) + ".tar");
  }
  EXPECT_EQ(gaps(many), "s120.tar: is not there, and neither is 1 more, but others of its series are\n");
}

}  // namespace
}  // namespace shardmill::source
