#include "update/decision.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "update/update_case.hpp"

namespace shardmill::update {
namespace {

using namespace std::chrono_literals;

class DecisionTest : public UpdateCase {
 protected:
  Decision decide_now(const Expected& expected = {}) {
    look_up();
    stock_.emplace(first_stock(*request_, facts_, std::nullopt));
    return decide(*request_, facts_, *stock_, expected);
  }
  /// How many samples each shard has afterwards, as far as the stock knows them.
  std::vector<int> counts(const Decision& decision) const {
    std::vector<int> counts(decision.shards, 0);
    for (std::uint32_t shard = 0; shard < decision.shards; ++shard) {
      if (!stock_->holds_shard(shard) && shard < 2) counts[shard] = 5;
    }
    for (std::size_t i = 0; i < decision.shard_of.size(); ++i) {
      const bool stays = !stock_->samples()[i].is_removed && decision.shard_of[i] != kNoShard;
      if (stays) ++counts[decision.shard_of[i]];
    }
    return counts;
  }
  static Expected some(unsigned samples) {
    Expected expected{.samples = {}, .bytes = samples * 5000};
    for (unsigned i = 0; i < samples; ++i)
      expected.samples.push_back({.dataset = 0, .duration = 100ms + i * 1ms});
    return expected;
  }

  std::optional<Stock> stock_;
};

TEST_F(DecisionTest, AShardThatLostASampleIsWrittenAgain) {
  remove(*keys_in(made_.path("manifests/manifest_000000001.json")).begin() + "\n");
  const Decision decision = decide_now();
  EXPECT_EQ(decision.shards, 2U);
  EXPECT_TRUE(decision.changed[1]);
  EXPECT_EQ(decision.waiting, 0U);
  const std::vector<int> held = counts(decision);
  EXPECT_EQ(held[0] + held[1], 9);
  EXPECT_LE(std::abs(held[0] - held[1]), 1);
}

TEST_F(DecisionTest, AWholeShardOfNewSamplesBecomesAShard) {
  const Decision decision = decide_now(some(5));
  EXPECT_EQ(decision.shards, 3U);
  EXPECT_EQ(decision.waiting, 0U);
  EXPECT_TRUE(decision.changed[2]);
}

TEST_F(DecisionTest, ASampleThatIsRemovedGoesNowhere) {
  const std::string key = *keys_in(made_.path("manifests/manifest_000000000.json")).begin();
  remove(key + "\n");
  const Decision decision = decide_now();
  for (std::size_t i = 0; i < decision.shard_of.size(); ++i) {
    if (stock_->samples()[i].is_removed) {
      EXPECT_EQ(decision.shard_of[i], kNoShard);
    }
  }
}

TEST_F(DecisionTest, ADatasetIsNotEmptied) {
  std::string all;
  for (const std::string& key : all_keys()) all += key + "\n";
  remove(all);
  EXPECT_THROW(decide_now(), Error);
}

TEST_F(DecisionTest, ShardsThatAreOverAreGivenUp) {
  std::string most;
  for (const std::string& key : all_keys()) most += key == "key3" ? "" : key + "\n";
  remove(most);
  const Decision decision = decide_now();
  EXPECT_EQ(decision.shards, 1U);
  EXPECT_EQ(counts(decision), std::vector<int>{1});
}

TEST_F(DecisionTest, TheRecordSaysWhatWasRemoved) {
  remove("key3\nkey7\n");
  const Decision decision = decide_now();
  const std::optional<Staged> nothing;
  const Changes changes{.request = *request_, .staged = nothing, .stock = *stock_, .decision = decision};
  const manifest::DatasetRecord record = describe(changes);
  EXPECT_EQ(record.rejects, 2U);
  EXPECT_EQ(record.left_out.at("removed"), 2U);
  ASSERT_EQ(record.updates.size(), 1U);
  EXPECT_EQ(record.updates[0].removed, 2U);
  EXPECT_EQ(record.updates[0].before, 10U);
  EXPECT_EQ(record.updates[0].id, request_->id);
  EXPECT_NE(record.inputs_xxh3, request_->records.dataset->inputs_xxh3);
}

TEST_F(DecisionTest, TheRunIsAddedToTheHistory) {
  remove("key3\n");
  const Decision decision = decide_now();
  const std::optional<Staged> nothing;
  const Changes changes{.request = *request_, .staged = nothing, .stock = *stock_, .decision = decision};
  const manifest::RunRecord run = describe_run(changes, {}, made_.workers());
  ASSERT_EQ(run.history.size(), 2U);
  EXPECT_EQ(run.history[0].command, "shardmill repack for a test");
  EXPECT_EQ(run.history[1].command, "shardmill update for a test");
  EXPECT_EQ(run.history[1].update, request_->id.hex());
  EXPECT_EQ(run.command, "shardmill update for a test");
}

}  // namespace
}  // namespace shardmill::update
