#include "shardmill/repack.hpp"

#include <gtest/gtest.h>

#include "shardmill/error.hpp"
#include "shardmill/verify.hpp"
#include "support/made_dataset.hpp"

namespace shardmill {
namespace {

using testing::MadeDataset;

TEST(LibraryRepack, WritesWhatTheCommandWritesAndVerifyFindsItGood) {
  const MadeDataset made;
  const testing::TemporaryFolder folder;
  Observer observer;
  RepackOptions options{.sources = {"set=" + made.source()}, .out_folder = folder.file("out"), .shards = 2};
  const RepackSummary summary = run_repack(options, observer);
  EXPECT_EQ(summary.samples, MadeDataset::kSamples);
  EXPECT_EQ(summary.shards, 2u);
  for (const char* shard : {"shards/audio_000000000.tar", "shards/audio_000000001.tar"})
    EXPECT_TRUE(base::read_text(folder.file(std::string("out/") + shard)) == made.read(shard)) << shard;
  EXPECT_TRUE(run_verify({.targets = {folder.file("out")}, .against = options.sources}, observer).good);
  EXPECT_TRUE(run_repack(options, observer).already_there);
}

TEST(LibraryRepack, OptionsThatMakeNoSenseAreRefused) {
  Observer observer;
  const MadeDataset made;
  EXPECT_THROW(run_repack({}, observer), UsageError);
  RepackOptions options{.sources = {made.source()}, .out_folder = ""};
  EXPECT_THROW(run_repack(options, observer), UsageError);
  options.out_folder = made.path("../other");
  options.samples_per_shard = 0;
  EXPECT_THROW(run_repack(options, observer), UsageError);
}

}  // namespace
}  // namespace shardmill
