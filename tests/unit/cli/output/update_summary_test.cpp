#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/output/reports.hpp"

namespace shardmill::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using update::UpdateOptions;
using update::UpdateSummary;

/// Two shards, to which 30 samples were added.
UpdateSummary grown() {
  UpdateSummary summary;
  summary.dataset.shards = 2;
  summary.dataset.shard_files = "shards/audio_{000000000..000000001}.tar";
  summary.dataset.samples = 100;
  summary.dataset.seconds = 240;
  summary.dataset.datasets = {{.dataset = "set", .samples = 100, .seconds = 240}};
  summary.dataset.balance = {.min_samples = 50, .max_samples = 50, .min_seconds = 120, .max_seconds = 120};
  summary.update.added = 30;
  summary.update.added_seconds = 60;
  summary.update.new_shards = 1;
  summary.update.rewritten_shards = 1;
  summary.written_bytes = 5000;
  return summary;
}

UpdateOptions adding() {
  UpdateOptions options;
  options.folder = "mixed";
  options.sources = {"set=more.tar"};
  return options;
}

UpdateOptions removing() {
  UpdateOptions options;
  options.folder = "mixed";
  options.remove_keys = "keys.txt";
  return options;
}

TEST(UpdateText, SaysWhatCameAndWhichShardsChanged) {
  const std::string text = update_as_text(grown(), adding());
  EXPECT_TRUE(text.starts_with("mixed/shards/audio_{000000000..000000001}.tar\n"));
  for (const char* part : {"30 samples, 1.0 min", "2: 1 new, 1 written again", "100 samples, 4.0 min",
                           "5.00 kB written", "left out       nothing"})
    EXPECT_THAT(text, HasSubstr(part));
  for (const char* silent : {"removed", "waiting", "in doubt", "dropped"})
    EXPECT_THAT(text, Not(HasSubstr(silent)));
}

TEST(UpdateText, OfAnUpdateThatOnlyRemovesNothingIsSaidOfSources) {
  UpdateSummary summary = grown();
  summary.update = {};
  summary.update.removed = 4;
  summary.update.removed_seconds = 8;
  summary.removed_shards = 1;
  const std::string text = update_as_text(summary, removing());
  EXPECT_THAT(text, HasSubstr("removed        4 samples, 8.00 s"));
  EXPECT_THAT(text, HasSubstr("2: 1 fewer than before"));
  EXPECT_THAT(text, Not(HasSubstr("added")));
  EXPECT_THAT(text, Not(HasSubstr("left out")));
}

TEST(UpdateText, WhereNoShardChangedItSaysSo) {
  UpdateSummary summary = grown();
  summary.update.new_shards = summary.update.rewritten_shards = 0;
  EXPECT_THAT(update_as_text(summary, adding()), HasSubstr("2: none was written"));
}

TEST(UpdateText, OpensWithSamplesThatAreNotInTraining) {
  UpdateSummary summary = grown();
  summary.waiting = 7;
  summary.dataset.pending = manifest::DatasetRecord::Pending{.samples = 7, .seconds = 21};
  EXPECT_TRUE(update_as_text(summary, adding())
                  .starts_with("7 samples, 21.00 s are not in training: they wait in pending/; "
                               "shardmill update mixed --remix "));
}

TEST(UpdateText, SaysHowUnlikeTheMixIs) {
  UpdateSummary summary = grown();
  summary.mix = {{"set", {.fewest = 3, .most = 50}}, {"other", {.fewest = 9, .most = 10}}};
  EXPECT_THAT(update_as_text(summary, adding()), HasSubstr("mix            set 3 to 50 samples a shard;"));
}

TEST(UpdateText, OfEvenShardsTooFewToGiveEachOne) {
  UpdateSummary summary = grown();
  summary.waiting = 1;
  summary.dataset.evened = manifest::DatasetRecord::Evened{};
  summary.dataset.pending = manifest::DatasetRecord::Pending{.samples = 1, .seconds = 2};
  EXPECT_THAT(update_as_text(summary, adding()), HasSubstr("all 2 shards hold the same number of samples"));
}

TEST(UpdateText, LeftOutDoubtfulAndDroppedAreSaid) {
  UpdateSummary summary = grown();
  summary.left_out = {{"too_long", 1}, {"too_short", 2000}};
  summary.dataset.doubtful = {{.dataset = "set", .source = "x", .begin = 0, .end = 1, .samples = 3}};
  summary.dropped = {"ranks/w2", "report.html"};
  const std::string text = update_as_text(summary, adding());
  EXPECT_THAT(text, HasSubstr("1 too_long, 2,000 too_short (see rejects.jsonl)"));
  EXPECT_THAT(text, HasSubstr("3 samples may be wrong"));
  EXPECT_THAT(text, HasSubstr("2 files of the old shards, such as ranks/w2"));
}

TEST(UpdateText, APlanSaysAboutAndThatNothingIsWritten) {
  UpdateSummary summary = grown();
  summary.outcome = UpdateSummary::Outcome::planned;
  summary.update.pending = 3;
  const std::string text = update_as_text(summary, adding());
  EXPECT_TRUE(text.starts_with("planned, nothing written to mixed\n"));
  for (const char* part :
       {"about 30 samples", "about 2: 1 new", "about 3 samples", "about 5.00 kB would be written"})
    EXPECT_THAT(text, HasSubstr(part));
  // What is removed is known exactly.
  summary.update.removed = 2;
  EXPECT_THAT(update_as_text(summary, removing()), HasSubstr("shards         2: 1 new"));
}

TEST(UpdateText, TheSameUpdateAgainSaysThatItIsThere) {
  UpdateSummary summary = grown();
  summary.outcome = UpdateSummary::Outcome::already_done;
  EXPECT_EQ(update_as_text(summary, adding()),
            "mixed is updated already: the last update was this one, its sources have not changed since, and "
            "nothing "
            "was read from them; 2 shards, 100 samples, 4.0 min\n");
}

TEST(UpdateJson, HasTheSameFigures) {
  UpdateSummary summary = grown();
  summary.left_out = {{"too_long", 1}};
  summary.dropped = {"report.html"};
  summary.removed_shards = 3;
  summary.too_many_rejects = true;
  summary.dataset.pending = manifest::DatasetRecord::Pending{.samples = 7, .seconds = 21};
  auto json = nlohmann::json::parse(update_as_json(summary, adding()));
  EXPECT_EQ(json["outcome"], "written");
  EXPECT_EQ(json["folder"], "mixed");
  EXPECT_EQ(json["shards"], 2);
  EXPECT_EQ(json["samples"], 100);
  EXPECT_EQ(json["added"], 30);
  EXPECT_EQ(json["new_shards"], 1);
  EXPECT_EQ(json["rewritten_shards"], 1);
  EXPECT_EQ(json["removed_shards"], 3);
  EXPECT_EQ(json["pending"], 7);
  EXPECT_EQ(json["pending_seconds"], 21);
  EXPECT_EQ(json["even"], true);
  EXPECT_EQ(json["left_out"], (nlohmann::json{{"too_long", 1}}));
  EXPECT_EQ(json["dropped"], nlohmann::json::array({"report.html"}));
  EXPECT_EQ(json["too_many_rejects"], true);
  EXPECT_FALSE(json.contains("metadata"));
  // A plan tells how many would wait, not how many do now.
  summary.outcome = UpdateSummary::Outcome::planned;
  summary.update.pending = 5;
  json = nlohmann::json::parse(update_as_json(summary, adding()));
  EXPECT_EQ(json["outcome"], "planned");
  EXPECT_EQ(json["pending"], 5);
}

}  // namespace
}  // namespace shardmill::cli
