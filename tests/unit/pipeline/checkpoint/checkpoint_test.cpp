#include "pipeline/checkpoint/checkpoint.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "pipeline/journal.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::pipeline {
namespace {

using namespace std::chrono_literals;

class Checkpoints : public ::testing::Test {
 protected:
  Checkpoint make(const CheckpointInterval& interval = {}) {
    return {interval, folder_.path().string(), "shards: 4\n", [this] { return now_; }};
  }

  testing::TemporaryFolder folder_;
  std::chrono::steady_clock::time_point now_{};
};

SavedRun some_run() {
  SavedRun run;
  run.mill.all_read = true;
  LanePosition lane{
      .next_file = 3, .is_open = true, .units = 9, .offset = 4711, .restart = {}, .consumed_bytes = 77};
  lane.restart = {
      .units = 8, .piece = {std::byte{1}}, .unit_offset = 4000, .sample_offset = 4100, .shape = "txt wav"};
  lane.late_bytes = 5;
  run.mill.positions = {{.lanes = {lane, {}}, .consumed_bytes = 99}, {}};
  run.mill.spools = {{.tar_bytes = 512, .manifest_bytes = 3}};
  shard::ShardTally tally;
  tally.datasets.resize(2);
  tally.add(1, 3s, true);
  run.mill.tallies = {tally};
  run.mill.held = {{.sample = {.dataset = 1, .duration = 2s}, .offset = 10, .bytes = 20}};
  run.mill.given_back = 6;
  run.admission.counts.taken = 12;
  run.admission.counts.left_out["too_short"] = 2;
  run.admission.counts.texts["libri"].add(true);
  run.admission.counts.forms[{"wav/pcm16", 16000, 1}] = {.samples = 12, .duration = 30s};
  run.admission.first_taken = "this one";
  run.mill.dealer.datasets.resize(1);
  run.mill.dealer.datasets[0].shards = {{.samples = 4, .duration = 9s}};
  return run;
}

TEST_F(Checkpoints, AreDueAfterSoManyBytesOrSoMuchTime) {
  Checkpoint checkpoint = make({.time = 20s, .input_bytes = 1000});
  EXPECT_FALSE(checkpoint.is_due());
  checkpoint.count(999);
  EXPECT_FALSE(checkpoint.is_due());
  checkpoint.count(1);
  EXPECT_TRUE(checkpoint.is_due());
  checkpoint.write({});
  EXPECT_FALSE(checkpoint.is_due());
  now_ += 20s;
  EXPECT_TRUE(checkpoint.is_due());
  checkpoint.begin_interval();
  EXPECT_FALSE(checkpoint.is_due());
}

TEST_F(Checkpoints, ThereIsNoneAtFirst) {
  EXPECT_FALSE(make().read());
}

TEST_F(Checkpoints, AllThatARunKnowsComesBack) {
  make().write(some_run());
  const auto run = make().read();
  ASSERT_TRUE(run);
  EXPECT_TRUE(run->mill.all_read);
  EXPECT_FALSE(run->mill.all_dealt);
  ASSERT_EQ(run->mill.positions.size(), 2U);
  const LanePosition& lane = run->mill.positions[0].lanes.at(0);
  const LanePosition expected = some_run().mill.positions[0].lanes[0];
  EXPECT_EQ(run->mill.positions[0].consumed_bytes, 99U);
  EXPECT_EQ(lane.restart, expected.restart);
  EXPECT_EQ(
      std::tie(lane.next_file, lane.is_open, lane.units, lane.offset, lane.consumed_bytes, lane.late_bytes),
      std::tie(expected.next_file, expected.is_open, expected.units, expected.offset, expected.consumed_bytes,
               expected.late_bytes));
  EXPECT_EQ(run->mill.spools.at(0).tar_bytes, 512U);
  EXPECT_EQ(run->mill.tallies.at(0).samples(), 1U);
  EXPECT_EQ(run->mill.tallies.at(0).longest, 3s);
  EXPECT_EQ(run->mill.held.at(0).sample.duration, 2s);
  EXPECT_EQ(run->mill.given_back, 6U);
  EXPECT_EQ(run->admission.counts.taken, 12U);
  EXPECT_EQ(run->admission.counts.left_out.at("too_short"), 2U);
  EXPECT_EQ(run->admission.counts.forms.begin()->second.duration, 30s);
  EXPECT_EQ(run->admission.first_taken, "this one");
  EXPECT_EQ(run->mill.dealer, some_run().mill.dealer);
}

TEST_F(Checkpoints, ADamagedJournalIsAnError) {
  make().write(some_run());
  const std::string path = journal_path(folder_.path().string());
  const std::uint64_t size = std::filesystem::file_size(path);
  for (std::uint64_t at = 0; at < size; at += 11) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const char old = static_cast<char>(file.get());
    const auto put = [&](char byte) {
      file.seekp(static_cast<std::streamoff>(at));
      file.put(byte).flush();
    };
    put(static_cast<char>(old ^ 4));
    EXPECT_THROW(make().read(), Error) << at;
    put(old);
  }
  EXPECT_TRUE(make().read());
  std::filesystem::resize_file(path, size / 2);
  EXPECT_THROW(make().read(), Error);
}

}  // namespace
}  // namespace shardmill::pipeline
