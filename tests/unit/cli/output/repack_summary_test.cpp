#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/output/reports.hpp"
#include "support/silent_reporter.hpp"

namespace shardmill::cli {
namespace {

using repack::RepackOptions;
using repack::RepackSummary;
using ::testing::HasSubstr;
using ::testing::Not;

RepackOptions options() {
  RepackOptions made;
  made.out_folder = "out";
  return made;
}

RepackSummary repacked() {
  RepackSummary made;
  made.input_bytes = 500'000'000;
  made.seconds = 10;
  made.dataset.shards = 64;
  made.dataset.shard_files = "shards/audio_{000000000..000000063}.tar";
  made.dataset.samples = 64'000;
  made.dataset.seconds = 360'000;
  made.dataset.bytes = 1'000'000'000;
  made.dataset.with_text = 63'999;
  made.dataset.balance = {.min_samples = 1000,
                          .max_samples = 1000,
                          .min_seconds = 5624.9995,
                          .mean_seconds = 5625,
                          .max_seconds = 5625.0004};
  made.dataset.audio = {{"wav/pcm16", 16000, 1, 64'000, 360'000}};
  made.dataset.datasets = {{"a", 1, 64'000, 360'000, 63'999}};
  return made;
}

TEST(RepackSummaryText, OfAWrittenDataset) {
  const std::string text = summary_as_text(repacked(), options());
  EXPECT_TRUE(
      text.starts_with("out/shards/audio_{000000000..000000063}.tar\n"
                       "  shards         64\n"
                       "  samples        64,000\n"
                       "  audio          100.0 h\n"
                       "    a            64,000 samples, 100.0 h, 63,999 with transcripts\n"
                       "  transcripts    63,999 of 64,000 samples\n"
                       "  format         wav/pcm16, 16000 Hz, 1 channel: 64,000 samples, 100.0 h\n"
                       "  balance        shards differ by at most 0.900 ms of audio and 0 samples\n"
                       "  size           500 MB read, 1.00 GB written\n"))
      << text;
  EXPECT_THAT(text, HasSubstr("  left out       no samples\n"));
  EXPECT_THAT(text, Not(HasSubstr("not equal")));
  EXPECT_THAT(text, Not(HasSubstr("cannot handle")));
}

TEST(RepackSummaryText, SaysWhatMayHurtTraining) {
  RepackSummary made = repacked();
  made.dataset.balance.max_seconds = 5700;
  made.least_spread = deal::LeastSpread{};
  made.dataset.samples = 100;
  EXPECT_THAT(summary_as_text(made, options()),
              HasSubstr("not equal: no better deal of 100 samples to 64 shards was found"));
  made.least_spread = {.spread = std::chrono::seconds(12),
                       .reason = deal::LeastSpread::Reason::few_long,
                       .samples = 127,
                       .length = std::chrono::milliseconds(2500),
                       .together = 1};
  EXPECT_THAT(
      summary_as_text(made, options()),
      HasSubstr("must differ by 12 s at least: only 127 samples last 2.5 s or longer, so one of 64 shards "
                "gets only 1"));
  made.dataset.audio.push_back({"wav/pcm16", 8000, 1, 1, 1});
  EXPECT_THAT(summary_as_text(made, options()), HasSubstr("several sample rates"));
}

TEST(RepackSummaryText, CountsWhatWasLeftOut) {
  RepackSummary made = repacked();
  made.counts.left_out = {{"bad_audio", 2}, {"too_short", 1'234}};
  made.losses = {.samples = 2, .unknown_files = 1};
  EXPECT_THAT(summary_as_text(made, options()),
              HasSubstr("2 bad_audio, 1,234 too_short (see rejects.jsonl); lost to errors: 2 samples and an "
                        "unknown number of samples from 1 source file\n"));
}

TEST(RepackSummaryText, OfAPlanAndOfADatasetThatIsThere) {
  RepackSummary made = repacked();
  made.outcome = RepackSummary::Outcome::planned;
  made.planned_shards = 64;
  EXPECT_TRUE(summary_as_text(made, options()).starts_with("planned; nothing is written to out\n"));
  made.outcome = RepackSummary::Outcome::already_there;
  EXPECT_TRUE(summary_as_text(made, options())
                  .starts_with("out is finished already: 64 shards, 64,000 samples, 100.0 h"));
}

TEST(RepackSummaryJson, HasTheSameFigures) {
  RepackSummary made = repacked();
  made.counts.left_out = {{"bad_audio", 2}};
  const auto json = nlohmann::json::parse(summary_as_json(made, options()));
  EXPECT_EQ(json["outcome"], "written");
  EXPECT_EQ(json["samples"], 64'000);
  EXPECT_EQ(json["with_text"], 63'999);
  EXPECT_EQ(json["left_out"]["bad_audio"], 2);
  EXPECT_EQ(json["even"], true);
  EXPECT_EQ(json["uniform"], true);
  EXPECT_NEAR(json["spread_seconds"].get<double>(), 0.0009, 1e-9);
  made.outcome = RepackSummary::Outcome::planned;
  EXPECT_EQ(nlohmann::json::parse(summary_as_json(made, options()))["outcome"], "planned");
}

TEST(RepackVerdict, IsAnErrorOnlyWhereMoreWasLostThanAllowed) {
  testing::SilentReporter reporter;
  RepackSummary made = repacked();
  made.losses.samples = 3;
  EXPECT_EQ(verdict(made, options(), reporter), 0);
  EXPECT_TRUE(reporter.errors.empty());
  made.too_many_rejects = true;
  made.max_rejects = 2;
  EXPECT_EQ(verdict(made, options(), reporter), 3);
  ASSERT_EQ(reporter.errors.size(), 1u);
  EXPECT_THAT(reporter.errors[0],
              HasSubstr("3 samples were left out because of errors, more than --max-rejects 2 allows"));
}

}  // namespace
}  // namespace shardmill::cli
