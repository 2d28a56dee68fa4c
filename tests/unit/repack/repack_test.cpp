#include "repack/repack.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "archive/recording_sink.hpp"
#include "base/error.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::repack {
namespace {

using Outcome = RepackSummary::Outcome;
using testing::MadeDataset;

/// Every member of the shards, by name.
std::map<std::string, std::string> members(const MadeDataset& made) {
  std::map<std::string, std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(made.path("shards"))) {
    archive::RecordingSink sink;
    archive::parse(base::read_text(entry.path().string()), sink);
    for (const auto& member : sink.members) all[member.name] = archive::text(member.bytes);
  }
  return all;
}

TEST(Repack, EveryMemberArrivesOnceAndUnchanged) {
  const MadeDataset made;
  archive::RecordingSink source;
  archive::parse(base::read_text(made.source()), source);
  std::map<std::string, std::string> wanted;
  for (const auto& member : source.members) wanted[member.name] = archive::text(member.bytes);
  EXPECT_EQ(wanted.size(), 2 * MadeDataset::kSamples);
  EXPECT_TRUE(members(made) == wanted);
}

TEST(Repack, ThreadsAndMemoryChangeNothing) {
  const MadeDataset made;
  const testing::TemporaryFolder folder;
  for (const unsigned threads : {2U, 5U}) {
    RepackOptions options;
    options.sources = {"set=" + made.source()};
    options.out_folder = folder.file(std::to_string(threads));
    options.recipe.sizing = {.by = deal::ShardSizing::By::shards, .amount = 2};
    pipeline::Workers workers(threads, std::uint64_t{64 * threads} << 20);
    testing::SilentReporter reporter;
    run_repack(options, workers, reporter);
    for (const char* file : {"shards/audio_000000000.tar", "shards/audio_000000001.tar", "shards.jsonl",
                             "tarred_audio_manifest.json", "dataset.json"}) {
      EXPECT_TRUE(base::read_text(options.out_folder + "/" + file) == made.read(file)) << file;
    }
  }
}

TEST(Repack, WhatIsDoneIsNotDoneAgain) {
  MadeDataset made;
  RepackOptions options;
  options.sources = {"set=" + made.source()};
  options.out_folder = made.folder();
  options.recipe.sizing = {.by = deal::ShardSizing::By::shards, .amount = 2};
  const auto before = std::filesystem::last_write_time(made.path("dataset.json"));
  EXPECT_EQ(run_repack(options, made.workers(), made.reporter()).outcome, Outcome::already_there);
  EXPECT_EQ(std::filesystem::last_write_time(made.path("dataset.json")), before);
  options.recipe.sizing.amount = 1;
  EXPECT_THROW(run_repack(options, made.workers(), made.reporter()), Error);  // not without --force
  options.force = true;
  EXPECT_EQ(run_repack(options, made.workers(), made.reporter()).dataset.shards, 1u);
  EXPECT_FALSE(std::filesystem::exists(made.path("shards/audio_000000001.tar")));
}

TEST(Repack, ADryRunWritesNothing) {
  MadeDataset made;
  RepackOptions options;
  options.sources = {made.source()};
  options.out_folder = made.path("../planned");
  options.dry_run = true;
  EXPECT_EQ(run_repack(options, made.workers(), made.reporter()).outcome, Outcome::planned);
  EXPECT_FALSE(std::filesystem::exists(options.out_folder));
}

}  // namespace
}  // namespace shardmill::repack
