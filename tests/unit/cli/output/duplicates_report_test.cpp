#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/output/reports.hpp"

namespace shardmill::cli {
namespace {

using check::DuplicateGroup;
using check::DuplicateSummary;
using ::testing::HasSubstr;
using ::testing::Not;

DuplicateGroup group_of(std::size_t samples) {
  DuplicateGroup group;
  for (std::size_t i = 0; i < samples; ++i)
    group.samples.push_back({.dataset = "set", .source = "a.tar", .key = "k" + std::to_string(i)});
  return group;
}

TEST(DuplicatesText, SaysThatThereAreNone) {
  const std::string text = duplicates_as_text({.samples = 1200});
  EXPECT_THAT(text, HasSubstr("1,200 samples compared in "));
  EXPECT_THAT(text, HasSubstr("the same audio: 0 groups\n"));
  for (const char* silent : {"--against", "without a known", "could not"})
    EXPECT_THAT(text, Not(HasSubstr(silent)));
}

TEST(DuplicatesText, NamesTheSamplesOfEachGroupAndWhatTheyShare) {
  DuplicateSummary summary{.samples = 10, .against_samples = 4};
  summary.audio = {group_of(2), group_of(2)};
  summary.audio[0].same_bytes = true;
  summary.audio[1].samples[1].is_against = true;
  summary.texts = {group_of(2)};
  summary.texts[0].text = "hello";
  summary.texts[0].speaker = "anna";
  const std::string text = duplicates_as_text(summary);
  EXPECT_THAT(text, HasSubstr("10 samples compared with 4 samples of --against in "));
  EXPECT_THAT(text, HasSubstr("the same audio: 2 groups\n  the same bytes\n    k0 of set: a.tar\n"));
  EXPECT_THAT(text,
              HasSubstr("  the same when decoded\n    k0 of set: a.tar\n    k1 of set: a.tar (--against)\n"));
  EXPECT_THAT(text, HasSubstr("with other audio: 1 group\n  anna: hello\n"));
}

TEST(DuplicatesText, IsBoundedAndTellsWhereTheRestIs) {
  DuplicateSummary summary;
  summary.audio.assign(25, group_of(7));
  summary.unusable.assign(21, Error("broken"));
  const std::string text = duplicates_as_text(summary);
  EXPECT_THAT(text, HasSubstr("    k4 of set: a.tar\n    and 2 more\n"));
  EXPECT_THAT(text, Not(HasSubstr("k5")));
  EXPECT_THAT(text, HasSubstr("  and 5 more; --json lists all\n"));
  EXPECT_THAT(text, HasSubstr("could not be compared: broken\nand 1 more; --json lists all\n"));
}

TEST(DuplicatesText, WhatCouldNotBeComparedIsCounted) {
  const std::string text = duplicates_as_text({.undecodable = 1, .without_speaker = 3});
  EXPECT_THAT(text, HasSubstr("3 samples without a known speaker or transcript\n"));
  EXPECT_THAT(text, HasSubstr("1 sample could not be decoded"));
}

TEST(DuplicatesJson, HasAllGroupsWhateverTheirNumber) {
  DuplicateSummary summary{.samples = 200, .against_samples = 7, .undecodable = 2, .without_speaker = 3};
  summary.audio.assign(25, group_of(7));
  summary.texts = {group_of(2)};
  summary.texts[0].text = "\"quoted\"";
  summary.unusable.assign(21, Error("broken"));
  const auto json = nlohmann::json::parse(duplicates_as_json(summary));
  EXPECT_EQ(json["samples"], 200);
  EXPECT_EQ(json["against_samples"], 7);
  EXPECT_EQ(json["undecodable"], 2);
  EXPECT_EQ(json["without_speaker"], 3);
  EXPECT_EQ(json["same_audio"].size(), 25U);
  EXPECT_EQ(json["same_audio"][24]["samples"].size(), 7U);
  EXPECT_EQ(json["same_audio"][0]["samples"][6]["key"], "k6");
  EXPECT_EQ(json["same_audio"][0]["same_bytes"], false);
  EXPECT_EQ(json["same_words"][0]["text"], "\"quoted\"");
  EXPECT_FALSE(json["same_words"][0].contains("same_bytes"));
  EXPECT_EQ(json["unusable"].size(), 21U);
}

}  // namespace
}  // namespace shardmill::cli
