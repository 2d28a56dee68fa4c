#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "dataset/finished_files.hpp"
#include "manifest/dataset_record.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::dataset {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using testing::MadeDataset;
using ::testing::Not;

manifest::DatasetRecord record_of(const MadeDataset& made) {
  return manifest::read_dataset_record(made.path("dataset.json"));
}

TEST(RequiredFiles, AreTheShardsAndTheirManifests) {
  const MadeDataset made;
  const auto names = required_files(record_of(made));
  EXPECT_THAT(names,
              IsSupersetOf({"shards/audio_000000000.tar", "shards/audio_000000001.tar",
                            "manifests/manifest_000000000.json", "manifests/manifest_000000001.json"}));
  for (const std::string& name : names) EXPECT_TRUE(std::filesystem::exists(made.path(name))) << name;
}

TEST(RequiredFiles, HaveTheSuffixOfTheCodecAndTheirPrefix) {
  const MadeDataset made([](repack::RepackOptions& options) {
    options.recipe.codec = codec::Codec::zstd;
    options.recipe.prefix = "speech";
  });
  const auto names = required_files(record_of(made));
  EXPECT_THAT(names, Contains("shards/speech_000000001.tar.zst"));
  for (const std::string& name : names) EXPECT_TRUE(std::filesystem::exists(made.path(name))) << name;
}

TEST(RequiredFiles, WhatWaitsIsRequiredWhereSomethingWaits) {
  const MadeDataset made;
  manifest::DatasetRecord record = record_of(made);
  EXPECT_THAT(required_pending_files(record), IsEmpty());
  record.pending = manifest::DatasetRecord::Pending{.samples = 1};
  EXPECT_EQ(required_pending_files(record).size(), 2U);
  EXPECT_THAT(required_files(record), IsSupersetOf(required_pending_files(record)));
}

TEST(RequiredFiles, IndexesThatWereAskedForOrAdded) {
  const MadeDataset made;
  const manifest::DatasetRecord plain = record_of(made);
  const std::vector<std::string> shards{"shards/audio_000000000.tar", "shards/audio_000000001.tar"};
  EXPECT_THAT(asked_index_files(plain, shards), Not(Contains("index.json")));
  const Forms wids{form_named("wids")};
  const auto with_added = required_files(plain, wids);
  EXPECT_GT(with_added.size(), required_files(plain).size());
  const MadeDataset asked([&](repack::RepackOptions& options) { options.recipe.indexes = wids; });
  EXPECT_EQ(std::set<std::string>(with_added.begin(), with_added.end()), [&] {
    const auto names = required_files(record_of(asked));
    return std::set<std::string>(names.begin(), names.end());
  }());
}

TEST(RequiredFiles, OnlyDatasetsThatHaveSamplesHaveIndexesOfTheirOwn) {
  manifest::DatasetRecord record;
  record.options = {{"index", "amphion"}};
  record.datasets = {{.dataset = "full", .samples = 1}, {.dataset = "empty"}};
  const auto names = asked_index_files(record, {});
  EXPECT_THAT(names, Contains(::testing::HasSubstr("full")));
  EXPECT_THAT(names, Not(Contains(::testing::HasSubstr("empty"))));
}

TEST(RequiredFiles, ParityIsRequired) {
  const MadeDataset made([](repack::RepackOptions& options) { options.recipe.parity = 1; });
  const manifest::DatasetRecord record = record_of(made);
  EXPECT_EQ(record.parity, 1U);
  manifest::DatasetRecord without = record;
  without.parity = 0;
  const auto names = required_files(record);
  EXPECT_GT(names.size(), required_files(without).size());
  for (const std::string& name : names) EXPECT_TRUE(std::filesystem::exists(made.path(name))) << name;
}

TEST(RequiredFiles, ADamagedNumberOfShardsNamesNone) {
  const MadeDataset made;
  manifest::DatasetRecord record = record_of(made);
  record.shards = UINT64_MAX;
  EXPECT_THAT(required_files(record), IsEmpty());
}

}  // namespace
}  // namespace shardmill::dataset
