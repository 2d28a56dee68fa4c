#include "commands/index.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.hpp"
#include "commands/verify.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::commands {
namespace {

using index::IndexOptions;
using index::IndexSummary;
using testing::MadeDataset;

TEST(Index, ADatasetStaysGoodAndKnowsItsIndexes) {
  MadeDataset made;
  IndexOptions options;
  options.targets = {made.folder()};
  options.kinds = {dataset::form_named("wids"), dataset::form_named("dali"), dataset::form_named("energon")};
  const IndexSummary summary = run_index(options, made.workers(), made.reporter());
  EXPECT_EQ(summary.samples, MadeDataset::kSamples);
  EXPECT_FALSE(summary.files.empty());
  for (const std::string& file : summary.files) EXPECT_TRUE(std::filesystem::exists(made.path(file))) << file;
  const auto verified =
      run_verify({.targets = {made.folder()}, .against = {}}, made.workers(), made.reporter());
  EXPECT_EQ(verified.count(Finding::Severity::finding), 0u);
  // A bit of an index that is flipped is found from now on.
  made.flip(summary.files.front(), 3);
  EXPECT_GT(run_verify({.targets = {made.folder()}, .against = {}}, made.workers(), made.reporter())
                .count(Finding::Severity::finding),
            0u);
}

TEST(Index, ShardsOfAnyOriginGetTheSameAsTheirDataset) {
  MadeDataset made;
  const testing::TemporaryFolder folder;
  for (const char* shard : {"audio_000000000.tar", "audio_000000001.tar"})
    folder.write(shard, made.read(std::string("shards/") + shard));
  IndexOptions options;
  options.targets = {folder.file("audio_000000000.tar"), folder.file("audio_000000001.tar")};
  options.kinds = {dataset::form_named("dali")};
  const IndexSummary alone = run_index(options, made.workers(), made.reporter());
  options.targets = {made.folder()};
  const IndexSummary dataset = run_index(options, made.workers(), made.reporter());
  ASSERT_EQ(alone.files.size(), dataset.files.size());
  for (std::size_t i = 0; i < alone.files.size(); ++i)
    EXPECT_EQ(base::read_text(alone.folder + "/" + alone.files[i]), made.read(dataset.files[i]));
}

TEST(Index, WhatNeedsManifestsIsNotMadeOfOtherShards) {
  MadeDataset made;
  IndexOptions options;
  options.targets = {made.source()};
  options.kinds = {dataset::form_named("amphion")};
  EXPECT_THROW(run_index(options, made.workers(), made.reporter()), UsageError);
}

}  // namespace
}  // namespace shardmill::commands
