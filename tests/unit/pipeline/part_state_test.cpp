#include "pipeline/part_state.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "pipeline/mill_case.hpp"

namespace shardmill::pipeline {
namespace {

class PartStateTest : public MillCase {
 protected:
  PartStateTest() {
    // The files are divided between the parts: the second shard of "a" is for the second.
    for (int part = 0; part < 2; ++part) {
      MillPlan& planned = plans_.emplace_back(plan("part" + std::to_string(part)));
      planned.fingerprint = "part " + std::to_string(part);
      planned.shards = part == 0 ? 2 : 1;
      planned.part = MillPart{.first_shard = part == 0 ? 0U : 2U, .allowances = {0.5, 0.5}};
      planned.inputs.streams[0].files = {inputs_.streams[0].files[static_cast<std::size_t>(part)]};
      if (part == 1) planned.inputs.streams[1].files.clear();
    }
  }

  std::vector<PartState> read_sources() {
    std::vector<PartState> states;
    for (const MillPlan& planned : plans_) {
      Mill mill(planned, workers_, reporter_);
      mill.run();
      states.push_back(*read_part_state(planned.work_folder));
    }
    return states;
  }
  static void flip(const std::string& path) {
    std::string bytes = base::read_text(path, kMillBytes);
    bytes.at(bytes.size() / 2) ^= 1;
    base::File file = base::File::create(path);
    file.write(base::as_bytes(bytes));
    file.close();
  }

  Workers workers_{1, kMillBytes};
  std::vector<MillPlan> plans_;
};

TEST_F(PartStateTest, OnlyAJournalTellsOfAPart) {
  EXPECT_FALSE(read_part_state(plans_[0].work_folder).has_value());
  const PartState state = read_sources()[0];
  EXPECT_EQ(state.fingerprint, "part 0");
  EXPECT_TRUE(state.mill.all_read);
  EXPECT_FALSE(state.mill.all_dealt);
  EXPECT_EQ(state.admission.counts.taken, 105U);
}

TEST_F(PartStateTest, HeldSamplesAreDealtOverTheShardsOfAll) {
  const std::vector<PartState> parts = read_sources();
  const HeldShards shards = by_part(parts, deal_held(parts));
  ASSERT_EQ(shards.size(), 2U);
  std::vector<std::uint64_t> samples;
  for (const PartState& part : parts) {
    for (const auto& tally : part.mill.tallies) samples.push_back(tally.samples());
  }
  for (std::size_t part = 0; part < 2; ++part) {
    EXPECT_EQ(shards[part].size(), parts[part].mill.held.size());
    for (const std::uint32_t shard : shards[part]) ++samples.at(shard);
  }
  EXPECT_EQ(samples, (std::vector<std::uint64_t>{45, 45, 45}));
}

TEST_F(PartStateTest, TheDealIsReadAsItWasWritten) {
  const std::string path = folder_.file("held shards");
  EXPECT_FALSE(read_held_shards(path, "a run").has_value());
  const HeldShards shards{{1, 2, 0}, {}, {2}};
  write_held_shards(path, "a run", shards);
  EXPECT_EQ(read_held_shards(path, "a run"), shards);
  EXPECT_THROW(read_held_shards(path, "another run"), Error);
  flip(path);
  EXPECT_THROW(read_held_shards(path, "a run"), Error);
}

TEST_F(PartStateTest, SoIsWhatPartsGiveBack) {
  const std::string path = folder_.file("given back");
  EXPECT_EQ(read_given_back(path, "a run"), 0U);
  write_given_back(path, "a run", 32);
  EXPECT_EQ(read_given_back(path, "a run"), 32U);
}

TEST_F(PartStateTest, SoAreFinishedShards) {
  const std::string& folder = plans_[0].work_folder;
  EXPECT_FALSE(read_complete_part(folder, "part 0").has_value());
  const CompletePart complete{
      .shards = {{.path = "a.tar", .bytes = 7, .sha256 = "abc"}}, .tar_bytes = {9}, .manifest_checks = {11}};
  write_complete_part(folder, "part 0", complete);
  const auto read = read_complete_part(folder, "part 0");
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->shards[0].path, "a.tar");
  EXPECT_EQ(read->shards[0].bytes, 7U);
  EXPECT_EQ(read->tar_bytes, std::vector<std::uint64_t>{9});
  EXPECT_EQ(read->manifest_checks, std::vector<std::uint64_t>{11});
}

TEST_F(PartStateTest, AKeyInTwoPartsIsFoundAndNamed) {
  plans_[1].inputs.streams[0].files = plans_[0].inputs.streams[0].files;
  read_sources();
  const auto shared = find_shared_key({plans_[0].work_folder, plans_[1].work_folder});
  ASSERT_TRUE(shared.has_value());
  EXPECT_EQ(shared->part, 1U);
  const auto key = key_of_hash(plans_[0].work_folder, shared->hash);
  ASSERT_TRUE(key.has_value());
  EXPECT_EQ(key, key_of_hash(plans_[1].work_folder, shared->hash));
  EXPECT_EQ(base::xxh3_128(base::as_bytes(*key)), shared->hash);
  EXPECT_FALSE(key_of_hash(plans_[0].work_folder, {}).has_value());
}

TEST_F(PartStateTest, OtherPartsShareNoKey) {
  read_sources();
  EXPECT_FALSE(find_shared_key({plans_[0].work_folder, plans_[1].work_folder}).has_value());
}

TEST_F(PartStateTest, LogsThatChangedAreAnError) {
  const std::vector<PartState> parts = read_sources();
  EXPECT_NO_THROW(check_logs(plans_[0].work_folder, parts[0]));
  flip(key_log_path(plans_[0].work_folder));
  EXPECT_THROW(check_logs(plans_[0].work_folder, parts[0]), Error);
}

}  // namespace
}  // namespace shardmill::pipeline
