#include "pipeline/placing/split_keeper.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>

#include "support/made_utterance.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::pipeline {
namespace {

using namespace std::chrono_literals;

class SplitKeepers : public ::testing::Test {
 protected:
  /// One second of a speaker; `speaker` as JSON.
  static Utterance utterance(const std::string& key, const std::string& facts) {
    Utterance made = testing::made_utterance(key);
    made.record.facts = facts;
    return made;
  }
  static std::string by(const std::string& speaker) { return "\"speaker\":\"" + speaker + "\""; }

  SplitKeeper make() const { return {wish_, 1, folder_.path().string()}; }

  /// Keeps the sample if the keeper wants it. Its key is what is stored.
  void give(SplitKeeper& keeper, const Utterance& one) {
    ++given_;
    if (const auto group = keeper.group_to_keep(one)) {
      base::BinaryWriter out;
      put(out, one);
      const auto place = keeper.reserve(*group, {.dataset = 0, .duration = 1s}, serialised_bytes(one));
      keeper.store().write(place, out.bytes());
    }
  }
  /// `speakers` with four samples each, in turns.
  void give_speakers(SplitKeeper& keeper, int speakers, int from = 0, int to = 4) {
    for (int i = from; i < to; ++i) {
      for (int s = 0; s < speakers; ++s) {
        const std::string speaker = "s" + std::to_string(s);
        give(keeper, utterance(speaker + "-" + std::to_string(i), by(speaker)));
      }
    }
  }
  static std::map<std::string, int> speakers_in(const SplitKeeper& keeper,
                                                const std::vector<HeldStore::Entry>& entries) {
    std::map<std::string, int> found;
    for (const HeldStore::Entry& entry : entries) {
      const std::string key = keeper.store().read(entry).record.key;
      ++found[key.substr(0, key.find('-'))];
    }
    return found;
  }

  testing::TemporaryFolder folder_;
  deal::SplitWish wish_{.by = deal::SplitBy::speaker, .amounts = {{"dev", 8s}, {"test", 4s}}};
  std::size_t given_ = 0;
};

TEST_F(SplitKeepers, KeepAllSamplesOfASpeakerInOneSplit) {
  SplitKeeper keeper = make();
  give_speakers(keeper, 40);
  keeper.settle();
  ASSERT_EQ(keeper.shares().size(), 2U);
  std::map<std::string, std::string> split_of;
  for (const SplitKeeper::Share& share : keeper.shares()) {
    EXPECT_EQ(share.duration, share.name == "dev" ? 8s : 4s);
    EXPECT_EQ(share.groups, share.entries.size() / 4);
    for (const auto& [speaker, samples] : speakers_in(keeper, share.entries)) {
      EXPECT_EQ(samples, 4) << speaker;
      EXPECT_TRUE(split_of.emplace(speaker, share.name).second) << speaker << " is in two splits";
    }
  }
  for (const auto& [speaker, samples] : speakers_in(keeper, keeper.rest()))
    EXPECT_FALSE(split_of.contains(speaker)) << speaker;
}

TEST_F(SplitKeepers, GoOnFromTheirState) {
  std::map<std::string, int> whole;
  {
    SplitKeeper keeper = make();
    give_speakers(keeper, 40);
    keeper.settle();
    whole = speakers_in(keeper, keeper.shares().front().entries);
  }
  SplitState state;
  {
    SplitKeeper keeper = make();
    give_speakers(keeper, 40, 0, 2);
    keeper.sync();
    state = keeper.state();
    give(keeper, utterance("lost-0", by("lost")));
  }
  SplitKeeper keeper = make();
  keeper.restore(std::move(state));
  give_speakers(keeper, 40, 2, 4);
  keeper.settle();
  EXPECT_EQ(speakers_in(keeper, keeper.shares().front().entries), whole);
}

TEST_F(SplitKeepers, CannotKeepSpeakersApartWhomNobodyNames) {
  SplitKeeper keeper = make();
  EXPECT_THROW(keeper.group_to_keep(utterance("k", "")), UnknownSpeaker);
}

TEST_F(SplitKeepers, TreatEachSampleByItselfWhereThatIsAskedFor) {
  wish_ = {.by = deal::SplitBy::key, .amounts = {{"dev", 5s}}};
  SplitKeeper keeper = make();
  for (int i = 0; i < 100; ++i) give(keeper, utterance("k-" + std::to_string(i), ""));
  keeper.settle();
  ASSERT_EQ(keeper.shares().size(), 1U);
  EXPECT_EQ(keeper.shares()[0].entries.size(), 5U);
  EXPECT_EQ(keeper.shares()[0].groups, 5U);
}

TEST_F(SplitKeepers, KeepTheSplitsOfAPublisher) {
  wish_ = {.by = deal::SplitBy::subset, .amounts = {}};
  SplitKeeper keeper = make();
  for (const char* subset : {"train", "dev", "test", "dev"})
    give(keeper, utterance("k-" + std::to_string(given_), "\"subset\":\"" + std::string(subset) + "\""));
  EXPECT_THROW(keeper.group_to_keep(utterance("k", "\"subset\":\"odd\"")), UnknownSubset);
  EXPECT_THROW(keeper.group_to_keep(utterance("k", "")), UnknownSubset);
  keeper.settle();
  ASSERT_EQ(keeper.shares().size(), 2U);
  EXPECT_EQ(keeper.shares()[0].name, "dev");
  EXPECT_EQ(keeper.shares()[0].entries.size(), 2U);
  EXPECT_EQ(keeper.shares()[1].name, "test");
  EXPECT_TRUE(keeper.rest().empty());
}

TEST_F(SplitKeepers, FindNoSplitWhereAllIsForTraining) {
  wish_ = {.by = deal::SplitBy::subset, .amounts = {}};
  SplitKeeper keeper = make();
  give(keeper, utterance("k", "\"subset\":\"train\""));
  EXPECT_THROW(keeper.settle(), UnknownSubset);
}

}  // namespace
}  // namespace shardmill::pipeline
