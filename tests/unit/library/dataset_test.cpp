#include "shardmill/dataset.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "shardmill/error.hpp"
#include "shardmill/ranks.hpp"
#include "support/made_dataset.hpp"

namespace shardmill {
namespace {

using testing::MadeDataset;

TEST(LibraryDataset, EveryManifestLinePointsAtItsAudio) {
  const MadeDataset made;
  const Dataset dataset = open_dataset(made.folder());
  EXPECT_EQ(dataset.samples, MadeDataset::kSamples);
  ASSERT_EQ(dataset.shards.size(), 2u);
  std::uint64_t samples = 0;
  double seconds = 0;
  read_manifests(dataset, [&](const SampleInfo& sample) {
    const std::string tar = made.read(dataset.shards.at(sample.shard).path);
    const unsigned number = static_cast<unsigned>(std::stoul(sample.key.substr(3)));
    EXPECT_TRUE(tar.substr(sample.tar_offset, sample.audio_bytes) ==
                testing::made_wav(1600 + 160 * number, number))
        << sample.key;
    EXPECT_EQ(sample.text, "text of " + sample.key);
    EXPECT_EQ(sample.dataset, "set");
    EXPECT_EQ(sample.sample_rate, 16000u);
    EXPECT_NE(sample.json.find("\"key\":\"" + sample.key + "\""), std::string::npos);
    seconds += sample.seconds;
    return ++samples > 0;
  });
  EXPECT_EQ(samples, MadeDataset::kSamples);
  EXPECT_NEAR(seconds, dataset.seconds, 1e-9);
}

TEST(LibraryDataset, ReadingStopsWhereTheCallerHasEnough) {
  const MadeDataset made;
  int calls = 0;
  read_manifests(open_dataset(made.folder()), [&](const SampleInfo&) { return ++calls < 3; });
  EXPECT_EQ(calls, 3);
}

TEST(LibraryDataset, OneThatIsNotFinishedIsRefused) {
  const MadeDataset made;
  std::filesystem::remove(made.path("dataset.json"));
  EXPECT_THROW(open_dataset(made.folder()), Error);
}

}  // namespace
namespace {

TEST(LibraryRanks, SharesAndPlanHoldAllShards) {
  const testing::MadeDataset made;
  Observer observer;
  const RanksSummary summary = run_ranks({.targets = {made.folder()}, .world_size = 2}, observer);
  ASSERT_EQ(summary.by_loader.size(), 2u);
  std::uint64_t samples = 0;
  for (const RankShare& rank : summary.by_plan) samples += rank.samples;
  EXPECT_EQ(samples, testing::MadeDataset::kSamples);
  std::set<std::string> planned;
  for (const auto& rank : summary.plan)
    for (const auto& worker : rank) planned.insert(worker.begin(), worker.end());
  EXPECT_TRUE(planned.contains(made.path("shards/audio_000000001.tar")));
}

TEST(LibraryRanks, RefusesWhatMakesNoSense) {
  const testing::MadeDataset made;
  Observer observer;
  EXPECT_THROW(run_ranks({.targets = {made.folder()}, .world_size = 0}, observer), UsageError);
  EXPECT_THROW(run_ranks({.targets = {made.folder()}, .world_size = 1000}, observer), UsageError);
  EXPECT_THROW(run_ranks({.targets = {made.folder()}, .world_size = 1, .loader = "nobody"}, observer),
               UsageError);
  EXPECT_THROW(run_ranks({.targets = {}, .world_size = 1}, observer), UsageError);
}

}  // namespace
}  // namespace shardmill
