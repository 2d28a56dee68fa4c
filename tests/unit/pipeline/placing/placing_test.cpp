#include "pipeline/placing/placing.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <map>
#include <string>
#include <vector>

#include "archive/tar_building.hpp"
#include "archive/tar_parser.hpp"
#include "base/io/filesystem.hpp"
#include "base/io/folder.hpp"
#include "support/made_wav.hpp"
#include "support/silent_reporter.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::pipeline {
namespace {

/// What an intake would give for this sample.
Measured measured(const std::string& key, std::uint32_t frames) {
  const auto member = [&](const std::string& extension, const std::string& content) {
    const auto bytes = base::as_bytes(content);
    return Member{
        .name = key + "." + extension, .extension = extension, .bytes = Bytes(bytes.begin(), bytes.end())};
  };
  shard::GroupedSample sample;
  sample.sample = {.key = key, .members = {member("txt", "words"), member("wav", testing::made_wav(frames))}};
  return std::move(
      measure(std::move(sample), Origin{.dataset = 0, .dataset_name = "d", .source = "s.tar"}, {}).front());
}

class Placings : public ::testing::Test {
 protected:
  Placings() {
    base::make_folders(folder_.file("spool"));
    plan_.inputs.datasets = {{.name = "d"}};
    plan_.shards = 3;
    plan_.work_folder = folder_.path().string();
    plan_.checkpoints.input_bytes = 1;
    plan_.inputs.streams = {{.name = "d", .files = {{.path = "s.tar", .bytes = 1000}}, .datasets = {0}}};
  }

  Placing make() { return {plan_, workers_, reporter_}; }
  void give(Placing& placing, std::vector<Measured>&& samples, std::uint64_t consumed) {
    PlacedBatch batch;
    BudgetShare share(budget_, 0);
    placing.place({}, consumed, std::move(samples), batch);
    placing.write(batch, share);
  }
  std::vector<Measured> some(int first, int count) {
    std::vector<Measured> samples;
    for (int i = first; i < first + count; ++i)
      samples.push_back(measured("k" + std::to_string(i), 16000 + 997 * static_cast<std::uint32_t>(i % 37)));
    return samples;
  }
  /// Returns the number of steps that it took.
  int deal_rest(Placing& placing) {
    placing.settle_rest(placing.deal_rest(), budget_);
    int steps = 1;
    for (; placing.place_some_rest(budget_); ++steps) placing.free_dealt();
    return steps;
  }
  /// How many members each tar has.
  std::vector<std::size_t> members(Placing& placing) {
    std::vector<std::size_t> counts;
    for (std::uint32_t shard = 0; shard < 3; ++shard) {
      const base::File tar = base::File::open_read(placing.spools().tar_path(shard));
      counts.push_back(archive::walk_tar(tar).files.size());
    }
    return counts;
  }

  testing::TemporaryFolder folder_;
  testing::SilentReporter reporter_;
  Workers workers_{2, 64 << 20};
  ByteBudget budget_{64 << 20};
  MillPlan plan_;
};

TEST_F(Placings, EverySampleGetsOnePlaceAndTheShardsAreEven) {
  Placing placing = make();
  give(placing, some(0, 200), 500);
  give(placing, some(200, 100), 1000);
  deal_rest(placing);
  placing.end_tars();
  EXPECT_EQ(members(placing), (std::vector<std::size_t>{200, 200, 200}));
  std::chrono::nanoseconds least = placing.tallies()[0].duration();
  std::chrono::nanoseconds most = least;
  for (const shard::ShardTally& tally : placing.tallies()) {
    EXPECT_EQ(tally.samples(), 100U);
    least = std::min(least, tally.duration());
    most = std::max(most, tally.duration());
  }
  EXPECT_LE(most - least, std::chrono::milliseconds(10));
}

TEST_F(Placings, AllOfASmallInputIsPlacedInOneStep) {
  plan_.checkpoints = {};
  Placing placing = make();
  give(placing, some(0, 300), 1000);
  EXPECT_EQ(deal_rest(placing), 1);
  placing.end_tars();
  EXPECT_EQ(members(placing), (std::vector<std::size_t>{200, 200, 200}));
}

// What is held of a larger input takes less disk if it is freed in steps.
TEST_F(Placings, ALittleThatIsHeldOfMoreIsPlacedInSteps) {
  plan_.checkpoints = {};
  Placing placing = make();
  for (int i = 0; i < 12; ++i) give(placing, some(i * 100, 100), 1000);
  EXPECT_LT(placing.held_samples().size(), 1200U);
  EXPECT_GT(deal_rest(placing), 1);
}

TEST_F(Placings, GoOnFromWhatWasSaved) {
  std::vector<shard::ShardTally> whole;
  MillState state;
  AdmissionState admission;
  {
    Placing placing = make();
    give(placing, some(0, 100), 300);
    placing.sync(true);
    placing.save(state, true);
    admission = placing.admission_state();
    state.positions = {{.lanes = {}, .consumed_bytes = 300}};
    give(placing, some(100, 150), 700);  // lost
  }
  Placing placing = make();
  placing.restore(state, std::move(admission));
  EXPECT_EQ(placing.counts().taken, 100U);
  give(placing, some(100, 150), 700);
  give(placing, some(250, 50), 1000);
  deal_rest(placing);
  placing.end_tars();
  EXPECT_EQ(members(placing), (std::vector<std::size_t>{200, 200, 200}));
  EXPECT_EQ(placing.counts().taken, 300U);
}

TEST_F(Placings, GoOnInTheMiddleOfTheRestWhoseSpaceIsFreed) {
  const std::string held = folder_.file("held");
  MillState state;
  AdmissionState admission;
  {
    Placing placing = make();
    give(placing, some(0, 300), 1000);
    placing.settle_rest(placing.deal_rest(), budget_);
    ASSERT_TRUE(placing.place_some_rest(budget_));
    ASSERT_TRUE(placing.place_some_rest(budget_));
    placing.sync(true);
    placing.save(state, true);
    admission = placing.admission_state();
    placing.free_dealt();
    struct stat facts {};
    ASSERT_EQ(::stat(held.c_str(), &facts), 0);
    EXPECT_LT(facts.st_blocks * 512, facts.st_size);
    ASSERT_TRUE(placing.place_some_rest(budget_));  // lost
  }
  EXPECT_EQ(state.held.size(), state.held_shards.size());
  state.positions = {{.lanes = {}, .consumed_bytes = 1000}};
  Placing placing = make();
  placing.restore(state, std::move(admission));
  EXPECT_TRUE(placing.is_rest_settled());
  while (placing.place_some_rest(budget_)) placing.free_dealt();
  placing.end_tars();
  EXPECT_EQ(members(placing), (std::vector<std::size_t>{200, 200, 200}));
  EXPECT_EQ(placing.counts().taken, 300U);
}

TEST_F(Placings, StopTakingAtTheLimit) {
  plan_.intake.limit = 5;
  Placing placing = make();
  give(placing, some(0, 10), 100);
  EXPECT_TRUE(placing.full());
  EXPECT_EQ(placing.counts().taken, 5U);
}

}  // namespace
}  // namespace shardmill::pipeline
