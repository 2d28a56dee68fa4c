#include "commands/verify.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include "base/error.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::commands {
namespace {

using testing::MadeDataset;

TEST(Verify, ADatasetAndItsShardsAloneAreGood) {
  MadeDataset made;
  const auto dataset = run_verify({.targets = {made.folder()}, .decode = true, .against = {}}, made.workers(),
                                  made.reporter());
  EXPECT_TRUE(dataset.is_dataset);
  EXPECT_EQ(dataset.samples, MadeDataset::kSamples);
  EXPECT_EQ(dataset.count(Finding::Severity::finding), 0u);
  const auto shards =
      run_verify({.targets = {made.path("shards")}, .against = {}}, made.workers(), made.reporter());
  EXPECT_FALSE(shards.is_dataset);
  EXPECT_EQ(shards.samples, MadeDataset::kSamples);
  EXPECT_DOUBLE_EQ(shards.audio_seconds, dataset.audio_seconds);
}

TEST(Verify, FindingsComeInTheSameOrderWithAnyNumberOfThreads) {
  MadeDataset made;
  for (const char* file : {"shards/audio_000000000.tar", "shards/audio_000000001.tar", "run.json"})
    made.flip(file, 700);
  std::string first;
  for (const unsigned threads : {1U, 2U, 4U}) {
    pipeline::Workers workers(threads, std::uint64_t{64} << 20);
    std::string text;
    for (const Finding& finding :
         run_verify({.targets = {made.folder()}, .against = {}}, workers, made.reporter()).findings)
      text += to_string(finding) + "\n";
    if (first.empty()) first = text;
    EXPECT_EQ(text, first) << threads;
  }
  EXPECT_NE(first, "");
}

TEST(Verify, TargetsThatMakeNoSenseAreRefused) {
  MadeDataset made;
  EXPECT_THROW(
      run_verify({.targets = {made.folder(), made.source()}, .against = {}}, made.workers(), made.reporter()),
      UsageError);
  EXPECT_THROW(
      run_verify({.targets = {made.path("nowhere.tar")}, .against = {}}, made.workers(), made.reporter()),
      Error);
}

TEST(Verify, StopsWhenItShould) {
  MadeDataset made;
  made.reporter().signal = SIGTERM;
  EXPECT_THROW(run_verify({.targets = {made.folder()}, .against = {}}, made.workers(), made.reporter()),
               Interrupted);
}

}  // namespace
}  // namespace shardmill::commands
