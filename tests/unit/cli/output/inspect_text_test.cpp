#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/output/reports.hpp"

namespace shardmill::cli {
namespace {

using ::testing::HasSubstr;

check::InspectSummary inspected() {
  check::InspectSummary made;
  check::DatasetReport& dataset = made.datasets.emplace_back();
  dataset.name = "set";
  dataset.shards.push_back({.path = "a.tar", .contents = {}, .issues = {}});
  check::Contents& contents = dataset.shards[0].contents;
  contents.add({.format = "wav/pcm16", .sample_rate = 16000, .channels = 1, .frames = 160'000});
  contents.samples = 1;
  dataset.contents = contents;
  return made;
}

TEST(InspectText, AdviceFollowsFromWhatWasFound) {
  check::InspectSummary made = inspected();
  EXPECT_TRUE(report_as_text(made, std::nullopt, Glyphs::ascii).ends_with("No problems found.\n"));
  made.datasets[0].issues.add(check::issue::kNoTranscript, {.where = {.path = "a.tar", .member = "k"}});
  std::string text = report_as_text(made, std::nullopt, Glyphs::ascii);
  EXPECT_THAT(text, HasSubstr("sample without a transcript"));
  EXPECT_THAT(text, HasSubstr("all loaders read in the same way"));
  made.datasets[0].issues.add(check::issue::kBadAudio, {.where = {.path = "a.tar", .member = "k"}});
  text = report_as_text(made, std::nullopt, Glyphs::ascii);
  EXPECT_THAT(text, HasSubstr("Data is damaged or missing"));
  EXPECT_LT(text.find("audio that cannot be read"), text.find("sample without a transcript"));
}

TEST(InspectText, UnevenShardsAreNamed) {
  check::InspectSummary made = inspected();
  made.datasets[0].shards.push_back({.path = "b.tar", .contents = {}, .issues = {}});
  made.datasets[0].shards[1].contents.add(
      {.format = "wav/pcm16", .sample_rate = 16000, .channels = 1, .frames = 16'000});
  EXPECT_THAT(report_as_text(made, std::nullopt, Glyphs::ascii), HasSubstr("The shards are uneven"));
}

TEST(InspectText, FilesThatCannotBeReadComeFirst) {
  check::InspectSummary made = inspected();
  made.unusable.emplace_back("cannot open", at("x.tar"));
  EXPECT_TRUE(report_as_text(made, std::nullopt, Glyphs::ascii)
                  .starts_with("1 file cannot be read\n    x.tar: cannot open\n"));
}

TEST(AudioHours, AreThoseOfTheBytes) {
  check::Contents contents;
  EXPECT_EQ(audio_hours_per_second(1e9, contents), 0);
  contents.tar_bytes = 32'000;
  contents.duration = std::chrono::seconds(1);
  EXPECT_DOUBLE_EQ(audio_hours_per_second(32'000 * 3600.0, contents), 1);
}

}  // namespace
}  // namespace shardmill::cli
