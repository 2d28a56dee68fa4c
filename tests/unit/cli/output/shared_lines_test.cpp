#include "cli/output/shared_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace shardmill::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(BalanceText, SmallSpreadsAreInMilliseconds) {
  manifest::DatasetRecord::Balance balance{};
  balance.min_seconds = 10;
  balance.max_seconds = 10.0005;
  balance.min_samples = 7;
  balance.max_samples = 8;
  EXPECT_EQ(spread_text(balance), "shards differ by at most 0.500 ms of audio and 1 sample");
  balance.max_seconds = 12.5;
  balance.max_samples = 7;
  EXPECT_EQ(spread_text(balance), "shards differ by at most 2.5 s of audio and 0 samples");
}

TEST(DoubtText, IsSilentWithoutDoubt) {
  EXPECT_EQ(doubt_as_text({}), "");
}

TEST(DoubtText, CountsTheSamplesOfAllStreams) {
  manifest::DatasetRecord dataset;
  dataset.doubtful.push_back({.dataset = "a", .source = "a.tar.gz", .begin = 0, .end = 100, .samples = 1});
  EXPECT_THAT(doubt_as_text(dataset), HasSubstr("1 sample may be wrong, because a compressed stream is"));
  dataset.doubtful.push_back({.dataset = "b", .source = "b.tar.gz", .begin = 0, .end = 100, .samples = 1999});
  const std::string text = doubt_as_text(dataset);
  EXPECT_THAT(text, HasSubstr("2,000 samples may be wrong, because 2 compressed streams are"));
  EXPECT_THAT(text, HasSubstr("dataset.json"));
  EXPECT_TRUE(text.ends_with("\n"));
}

const deal::PlanFor kTwoRanks{.loader = deal::Loader::wenet, .batch_samples = 10, .ranks = 2, .workers = 3};

TEST(PlanForText, SaysTheStepsOfAllRanks) {
  EXPECT_EQ(plan_for_text(kTwoRanks, 126),
            "wenet: batches of 10 samples take 9 steps on each of 2 ranks, in every epoch");
}

TEST(PlanForText, SaysSoWhereNoBatchIsFull) {
  EXPECT_THAT(plan_for_text(kTwoRanks, 54), HasSubstr("each worker reads only 9 samples"));
  EXPECT_THAT(plan_for_text(kTwoRanks, 60), Not(HasSubstr("only")));
}

TEST(KeptPlanText, UnevenShardsKeepNoPlan) {
  manifest::DatasetRecord dataset;
  dataset.samples = 60;
  dataset.shards = 6;
  dataset.balance.min_samples = 10;
  dataset.balance.max_samples = 10;
  EXPECT_EQ(kept_plan_text(kTwoRanks, dataset), plan_for_text(kTwoRanks, 60));
  dataset.shards = 4;
  EXPECT_THAT(kept_plan_text(kTwoRanks, dataset), HasSubstr("4 shards are not a multiple of 6"));
  dataset.balance.max_samples = 11;
  EXPECT_THAT(kept_plan_text(kTwoRanks, dataset), HasSubstr("not hold the same number"));
}

nlohmann::json tables_json(const std::vector<repack::TableMatch>& tables) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  write_tables(json, tables);
  json.end_object();
  return nlohmann::json::parse(text);
}

TEST(TableMatches, NothingIsSaidWithoutTables) {
  EXPECT_EQ(tables_as_text({}), "");
  EXPECT_EQ(tables_json({}), nlohmann::json::object());
}

TEST(TableMatches, ATableThatFitsIsOneRow) {
  const std::string text = tables_as_text({{.path = "a.csv", .rows = 1200, .matched_samples = 1}});
  EXPECT_THAT(text, HasSubstr("a.csv: 1,200 rows, for 1 sample\n"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
}

TEST(TableMatches, RowsAndSamplesWithoutEachOtherAreNamed) {
  const std::vector<repack::TableMatch> tables{{.path = "a.csv",
                                                .rows = 10,
                                                .matched_samples = 8,
                                                .rows_without_sample = 2,
                                                .first_rows = {"k1", "k2"},
                                                .samples_without_row = 5,
                                                .first_samples = {"s1", "s\n2"}}};
  const std::string text = tables_as_text(tables);
  EXPECT_THAT(text, HasSubstr("2 rows without a sample: k1, k2\n"));
  EXPECT_THAT(text, HasSubstr("5 samples without a row: s1, "));
  EXPECT_THAT(text, HasSubstr(", ...\n"));
  EXPECT_THAT(text, Not(HasSubstr("s\n2"))) << "a key must not break the line";
  EXPECT_EQ(tables_json(tables), nlohmann::json::parse(R"({"metadata": [{"path": "a.csv", "rows": 10,
      "samples": 8, "samples_without_row": 5, "rows_without_sample": 2}]})"));
}

TEST(TableMatches, WhatIsNotKnownExactlyIsNotSaid) {
  const std::vector<repack::TableMatch> tables{
      {.path = "a.csv", .rows = 10, .rows_without_sample = 2, .is_exact = false}};
  EXPECT_THAT(tables_as_text(tables), Not(HasSubstr("without a sample")));
  EXPECT_FALSE(tables_json(tables)["metadata"][0].contains("rows_without_sample"));
}

std::string as_json(const repack::RepackSummary& summary, const repack::RepackOptions& options) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  write_limits(json, summary, options);
  json.end_object();
  return text;
}

TEST(LoaderLimitsReport, NamesInTextAndJsonTheSameLoaders) {
  repack::RepackSummary summary;
  repack::RepackOptions options;
  options.recipe.codec = codec::Codec::zstd;
  const auto json = nlohmann::json::parse(as_json(summary, options));
  const std::string text = limits_as_text(summary, options);
  EXPECT_FALSE(json["not_for"].empty());
  EXPECT_EQ(json["not_for"].size(), static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')));
  for (const auto& limit : json["not_for"])
    EXPECT_THAT(text, ::testing::HasSubstr(limit["loader"].get<std::string>()));
}

TEST(LoaderLimitsReport, TheContainersOfTheSummaryCount) {
  repack::RepackOptions options;
  options.recipe.intake.text = pipeline::TextPlace::manifest;
  repack::RepackSummary summary;
  const std::string without = as_json(summary, options);
  summary.dataset.audio = {{"wav/pcm16", 16000, 1, 5, 5}, {"flac/pcm16", 16000, 1, 5, 5}};
  EXPECT_NE(as_json(summary, options), without);
  repack::RepackSummary planned;
  planned.planned_extensions = {"wav", "flac"};
  EXPECT_EQ(as_json(planned, options), as_json(summary, options));
}

}  // namespace

}  // namespace shardmill::cli
