#include "check/verify/source_reads.hpp"

#include <gtest/gtest.h>

namespace shardmill::check {
namespace {

using Input = manifest::RunRecord::Input;

Input input(const std::string& path, std::uint64_t bytes, std::int64_t time = 1,
            const std::string& dataset = "d") {
  return {.dataset = dataset, .path = path, .bytes = bytes, .mtime_ns = time};
}

TEST(SourceReadsTest, WhatNoRecordNamesWasReadOnce) {
  SourceReads reads;
  EXPECT_FALSE(reads.has_repeats());
  EXPECT_EQ(reads.of({.path = "a", .bytes = 1}), (Reads{1, 0}));
}

TEST(SourceReadsTest, CountsReadsOfAnUnchangedFile) {
  SourceReads reads;
  reads.add({input("a", 1), input("b", 2), input("./x/../a", 1)});
  EXPECT_TRUE(reads.has_repeats());
  EXPECT_EQ(reads.of({.path = "a", .bytes = 1, .mtime_ns = 1}), (Reads{2, 0}));
  EXPECT_EQ(reads.of({.path = "b", .bytes = 2, .mtime_ns = 1}), (Reads{1, 0}));
  // A copy has another time.
  EXPECT_EQ(reads.of({.path = "a", .bytes = 1, .mtime_ns = 9}), (Reads{2, 0}));
}

TEST(SourceReadsTest, OfAFileThatChangedTheReadsBeforeAreUnsure) {
  SourceReads reads;
  reads.add({input("a", 1), input("a", 2), input("a", 2)});
  EXPECT_EQ(reads.of({.path = "a", .bytes = 2, .mtime_ns = 1}), (Reads{2, 1}));
  EXPECT_EQ(reads.of({.path = "a", .bytes = 3, .mtime_ns = 1}), (Reads{1, 2}));
  EXPECT_EQ(reads.of({.path = "a", .bytes = 2, .mtime_ns = 1, .is_told_elsewhere = true}), (Reads{1, 2}));
}

TEST(SourceReadsTest, TheSameSizeAtAnotherTimeIsAnotherFile) {
  SourceReads reads;
  reads.add({input("a", 1, 5), input("a", 1, 6)});
  EXPECT_EQ(reads.of({.path = "a", .bytes = 1, .mtime_ns = 6}), (Reads{1, 1}));
  EXPECT_EQ(reads.of({.path = "a", .bytes = 1, .mtime_ns = 7}), (Reads{1, 1}));
}

TEST(SourceReadsTest, DatasetsOfOneRunShareTheFirstRead) {
  SourceReads reads;
  reads.add({input("a", 1), input("a", 1)});
  reads.add({input("a", 1)});
  reads.add({input("a", 1)});
  EXPECT_EQ(reads.of({.path = "a", .bytes = 1, .mtime_ns = 1}), (Reads{2, 0}));
}

TEST(SourceReadsTest, SamplesOfADatasetMayHaveBeenInAnotherShard) {
  SourceReads reads;
  reads.add({input("d/shard0", 1), input("d/dataset.json", 1), input("d/shard0", 1), input("d/shard1", 7),
             input("d/dataset.json", 2)});
  const auto of = [&](const std::string& path, std::uint64_t bytes) {
    return reads.of({.path = path, .bytes = bytes, .mtime_ns = 1, .read_with = "d/dataset.json"});
  };
  EXPECT_EQ(of("d/shard0", 1), (Reads{2, 0}));
  EXPECT_EQ(of("d/shard0", 9), (Reads{1, 1}));
  EXPECT_EQ(of("d/shard1", 7), (Reads{1, 1}));
  EXPECT_EQ(of("d/shard2", 7), (Reads{1, 1}));
}

TEST(SourceReadsTest, AFileForSeveralDatasets) {
  SourceReads reads;
  reads.add({input("a", 1, 1, "x"), input("a", 1, 1, "y")});
  EXPECT_TRUE(reads.has_repeats());
  EXPECT_EQ(reads.of({.path = "a", .bytes = 1, .mtime_ns = 1}), (Reads{2, 0}));
  EXPECT_EQ(reads.of({.path = "a", .bytes = 1, .mtime_ns = 1, .dataset = "y"}), (Reads{1, 0}));
}

}  // namespace
}  // namespace shardmill::check
