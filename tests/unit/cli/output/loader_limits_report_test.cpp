#include "cli/output/loader_limits_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace shardmill::cli {
namespace {

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
