#include "repack/parts/deal.hpp"

#include <gmock/gmock.h>

#include <string>

#include "base/error.hpp"
#include "repack/parts.hpp"
#include "repack/run_case.hpp"

namespace shardmill::repack {
namespace {

using ::testing::HasSubstr;

class PartsDealTest : public RunCase {
 protected:
  void plan(std::uint32_t parts) {
    plan_parts(options_, parts, reporter_);
    plan_ = read_part_plan(options_.out_folder);
    of_plan_ = options_of(*plan_, options_);
    whole_ = make_plan(of_plan_, reporter_);
  }
  void read(std::uint32_t part) { run_part(of_plan_, *plan_, part, workers_, reporter_); }
  pipeline::HeldShards deal() { return deal_held(of_plan_, whole_, *plan_, reporter_); }
  std::string problem() {
    try {
      deal();
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  }

  std::optional<PartPlan> plan_;
  RepackOptions of_plan_;
  RepackPlan whole_;
};

TEST_F(PartsDealTest, EveryHeldSampleGetsAShardAndAllShardsHoldAsMany) {
  plan(2);
  for (const std::uint32_t part : {0U, 1U}) read(part);
  const pipeline::HeldShards shards = deal();
  std::vector<std::uint64_t> samples;
  for (std::uint32_t part = 0; part < 2; ++part) {
    const auto state = state_of(options_.out_folder, *plan_, part);
    ASSERT_TRUE(state.has_value());
    EXPECT_EQ(shards.at(part).size(), state->mill.held.size());
    for (const auto& tally : state->mill.tallies) samples.push_back(tally.samples());
  }
  for (const auto& of_part : shards) {
    for (const std::uint32_t shard : of_part) ++samples.at(shard);
  }
  EXPECT_EQ(samples, std::vector<std::uint64_t>(4, 15));
}

TEST_F(PartsDealTest, ASecondDealFindsTheFirst) {
  plan(2);
  for (const std::uint32_t part : {0U, 1U}) read(part);
  const pipeline::HeldShards first = deal();
  EXPECT_EQ(deal(), first);
  EXPECT_EQ(pipeline::read_held_shards(held_shards_path(options_.out_folder), plan_->id), first);
}

TEST_F(PartsDealTest, APartFindsTheSamplesForItsShards) {
  plan(2);
  for (const std::uint32_t part : {0U, 1U}) read(part);
  const pipeline::HeldShards shards = deal();
  const HeldSamples held(options_.out_folder, *plan_, pipeline::HeldShards(shards));
  std::size_t placed = 0;
  for (std::uint32_t part = 0; part < 2; ++part) {
    const PartShare share = Division(whole_, 2).share(part);
    for (const pipeline::HeldShare& one : held.of(share.shards)) {
      placed += one.placements.size();
      for (const auto& placement : one.placements) EXPECT_LT(placement.shard, share.shards.count);
    }
  }
  EXPECT_EQ(placed, shards[0].size() + shards[1].size());
}

TEST_F(PartsDealTest, PartsThatAreStillToBeReadAreNamed) {
  plan(3);
  EXPECT_FALSE(state_of(options_.out_folder, *plan_, 0).has_value());
  read(1);
  EXPECT_THAT(problem(), HasSubstr("2 of 3 parts are not done: 0, 2"));
}

TEST_F(PartsDealTest, AKeyInTwoPartsIsAnError) {
  const std::string again =
      folder_.write("again.tar", base::read_text(folder_.file("source0.tar"), 64 << 20));
  options_.sources = {options_.sources[0], "set=" + again};
  plan(2);
  for (const std::uint32_t part : {0U, 1U}) read(part);
  EXPECT_THAT(problem(), HasSubstr("a key that another part has too: 's"));
}

}  // namespace
}  // namespace shardmill::repack
