#include "pipeline/give_back.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "archive/tar_parser.hpp"
#include "manifest/record_reader.hpp"
#include "pipeline/mill_case.hpp"
#include "pipeline/part_state.hpp"

namespace shardmill::pipeline {
namespace {

class GiveBackTest : public MillCase {
 protected:
  /// With more shards, all of so few samples would be held.
  static constexpr std::uint32_t kShards = 1;

  /// A run that has read everything and dealt what it could.
  void read_all() {
    planned_.shards = kShards;
    planned_.part = MillPart{};
    Mill mill(planned_, workers_, reporter_);
    mill.run();
  }
  PartState state() const { return *read_part_state(planned_.work_folder); }
  std::size_t dealt() const {
    std::size_t samples = 0;
    for (const auto& shard : read_dealt_samples(planned_.work_folder, names_, planned_.shards))
      samples += shard.size();
    return samples;
  }

  Workers workers_{2, kMillBytes};
  MillPlan planned_ = plan("work");
  const std::vector<std::string> names_{"a", "b"};
};

TEST_F(GiveBackTest, DealtSamplesAreThoseOfTheTallies) {
  read_all();
  const auto shards = read_dealt_samples(planned_.work_folder, names_, planned_.shards);
  const PartState before = state();
  ASSERT_EQ(shards.size(), kShards);
  for (std::size_t shard = 0; shard < kShards; ++shard) {
    for (std::uint32_t dataset = 0; dataset < 2; ++dataset) {
      const auto of_dataset = std::count_if(shards[shard].begin(), shards[shard].end(),
                                            [&](const auto& one) { return one.dataset == dataset; });
      EXPECT_EQ(static_cast<std::uint64_t>(of_dataset), before.mill.tallies[shard].datasets[dataset].samples);
    }
  }
  EXPECT_EQ(dealt() + before.mill.held.size(), 135U);
}

TEST_F(GiveBackTest, TheLastSamplesOfEachSpoolAreHeldAgain) {
  read_all();
  const PartState before = state();
  const std::size_t dealt_before = dealt();
  give_back(planned_.work_folder, names_, 4);
  const PartState after = state();
  EXPECT_EQ(after.mill.given_back, 4U);
  std::size_t given = 0;
  for (std::size_t shard = 0; shard < kShards; ++shard) {
    const std::uint64_t was = before.mill.tallies[shard].samples();
    const std::uint64_t is = after.mill.tallies[shard].samples();
    EXPECT_EQ(is, was - std::min<std::uint64_t>(was, 4));
    given += was - is;
    EXPECT_LE(after.mill.spools[shard].tar_bytes, before.mill.spools[shard].tar_bytes);
    EXPECT_EQ(after.mill.dealer.datasets[0].shards[shard].samples,
              after.mill.tallies[shard].datasets[0].samples);
  }
  EXPECT_GT(given, 0U);
  EXPECT_EQ(after.mill.held.size(), before.mill.held.size() + given);
  EXPECT_EQ(dealt_before, dealt()) << "the files are cut when the run goes on";
}

TEST_F(GiveBackTest, ASecondCallChangesNothing) {
  read_all();
  give_back(planned_.work_folder, names_, 4);
  const PartState once = state();
  give_back(planned_.work_folder, names_, 9);
  EXPECT_EQ(state().mill.given_back, 4U);
  EXPECT_EQ(state().mill.held.size(), once.mill.held.size());
}

TEST_F(GiveBackTest, NoSampleIsLostWhenTheRunGoesOn) {
  read_all();
  give_back(planned_.work_folder, names_, 7);
  const PartState after = state();
  HeldShare share{.path = held_path(planned_.work_folder), .placements = {}};
  for (std::size_t i = 0; i < after.mill.held.size(); ++i)
    share.placements.push_back(
        {.entry = after.mill.held[i], .shard = static_cast<std::uint32_t>(i % kShards)});
  Mill mill(planned_, workers_, reporter_);
  ASSERT_TRUE(mill.resume());
  mill.complete({share});
  std::set<std::string> keys;
  std::size_t members = 0;
  for (std::uint32_t shard = 0; shard < kShards; ++shard) {
    members += archive::walk_tar(base::File::open_read(mill.spools().tar_path(shard))).files.size();
    manifest::SampleRecord record;
    for (manifest::RecordReader reader(mill.spools().manifest_path(shard)); reader.next(record);)
      EXPECT_TRUE(keys.insert(record.key).second) << record.key;
  }
  EXPECT_EQ(keys.size(), 135U);
  EXPECT_EQ(members, 270U);
}

TEST_F(GiveBackTest, AFlippedBitOfASpoolIsAnError) {
  read_all();
  const std::string path = spooled_tar_path(planned_.work_folder + "/spool", 0);
  std::string bytes = base::read_text(path, kMillBytes);
  ASSERT_GT(bytes.size(), 2000U);
  bytes[1999] = static_cast<char>(bytes[1999] ^ 1);
  base::File file = base::File::create(path);
  file.write(base::as_bytes(bytes));
  file.close();
  EXPECT_THROW(give_back(planned_.work_folder, names_, 4), Error);
}

TEST_F(GiveBackTest, AFolderWithoutAJournalIsAnError) {
  EXPECT_THROW(give_back(planned_.work_folder, names_, 4), Error);
}

}  // namespace
}  // namespace shardmill::pipeline
