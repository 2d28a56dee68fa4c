#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/output/reports.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::cli {
namespace {

TEST(InspectJson, HoldsAllFigures) {
  testing::MadeDataset made;
  const auto summary = check::inspect_sources({.sources = {made.source()}}, made.workers(), made.reporter());
  const auto json = nlohmann::json::parse(report_as_json(summary, std::nullopt));
  const auto& dataset = json["datasets"].at(0);
  EXPECT_EQ(dataset["samples"], testing::MadeDataset::kSamples);
  EXPECT_EQ(dataset["with_text"], testing::MadeDataset::kSamples);
  EXPECT_DOUBLE_EQ(dataset["audio_seconds"], 1.45);
  EXPECT_DOUBLE_EQ(dataset["min_sample_seconds"], 0.1);
  EXPECT_DOUBLE_EQ(dataset["max_sample_seconds"], 0.19);
  EXPECT_EQ(dataset["codecs"].at(0)["codec"], "none");
}

TEST(InspectJson, IssuesKeepTheirPlaces) {
  check::InspectSummary summary;
  check::DatasetReport& dataset = summary.datasets.emplace_back();
  dataset.name = "a\"b";
  dataset.issues.add(check::issue::kBadAudio,
                     {.where = {.path = "x.tar", .member = "k.wav", .offset = 7, .block = 0},
                      .tar_offset = 512,
                      .what = "t"});
  const auto json = nlohmann::json::parse(report_as_json(summary, std::nullopt));
  const auto& issue = json["datasets"].at(0)["issues"].at(0);
  EXPECT_EQ(issue["id"], "bad_audio");
  EXPECT_EQ(issue["severity"], "damage");
  EXPECT_EQ(issue["first"].at(0), (nlohmann::json{{"path", "x.tar"},
                                                  {"member", "k.wav"},
                                                  {"file_offset", 7},
                                                  {"block", 0},
                                                  {"tar_offset", 512},
                                                  {"text", "t"}}));
}

}  // namespace
}  // namespace shardmill::cli
