#include "pipeline/measure/speakers.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace shardmill::pipeline {
namespace {

std::string found(const SpeakerRules& rules, const std::string& dataset, const std::string& facts,
                  const std::string& key = "k", const std::string& path = "p") {
  return find_speaker(rules, dataset, facts, key, path).name;
}

TEST(Speakers, UsualNamesAreTakenWithoutASpeaker) {
  EXPECT_EQ(found({}, "d", R"("client_id":"C1","x":1)"), "C1");
  EXPECT_EQ(found({}, "d", R"("Speaker_ID": 7)"), "7");
  EXPECT_EQ(found({}, "d", R"("spk":"  S ","client_id":"C")"), "S");
  EXPECT_EQ(found({}, "d", R"("speaker":"own","client_id":"C1")"), "");
  EXPECT_EQ(found({}, "d", R"("spk":["a"],"client_id":null,"text":"spk")"), "");
  EXPECT_EQ(found({}, "d", ""), "");
}

TEST(Speakers, RulesOfADatasetGoBeforeThoseOfAll) {
  SpeakerRules rules;
  rules.fields = {{"", "who"}, {"d", "Reader"}};
  EXPECT_EQ(found(rules, "d", R"("who":"a","reader":"b","speaker":"c")"), "b");
  EXPECT_EQ(found(rules, "e", R"("who":"a","reader":"b")"), "a");
  EXPECT_TRUE(find_speaker(rules, "d", R"("who":"a")", "k", "p").is_missing);
  const FoundSpeaker other = find_speaker(rules, "d", R"("spk":"s")", "k", "p");
  EXPECT_EQ(other.name, "s");  // a named field fills gaps, and makes none
  EXPECT_TRUE(other.is_missing);
  EXPECT_FALSE(find_speaker({}, "d", "", "k", "p").is_missing);
}

TEST(Speakers, PatternsLookInTheKeyAndThenInThePath) {
  SpeakerRules rules;
  rules.patterns.emplace("", SpeakerPattern("S([0-9]+)"));
  rules.patterns.emplace("d", SpeakerPattern("^[a-z]+"));
  EXPECT_EQ(found(rules, "e", "", "a/S12/S13", "S99"), "12");
  EXPECT_EQ(found(rules, "e", "", "a", "/S99/a.wav"), "99");
  EXPECT_EQ(found(rules, "d", "", "abc-1", ""), "abc");
  EXPECT_TRUE(find_speaker(rules, "d", "", "1", "2").is_missing);
}

TEST(Speakers, APatternIsForSamplesWithoutASpeaker) {
  SpeakerRules rules;
  rules.patterns.emplace("", SpeakerPattern("^[a-z]+"));
  const FoundSpeaker kept = find_speaker(rules, "d", R"("speaker":"ann")", "bob-1", "");
  EXPECT_EQ(kept.name, "");  // as the data has it
  EXPECT_FALSE(kept.is_missing);
  EXPECT_EQ(found(rules, "d", R"("client_id":"C")", "bob-1", ""), "C");
  rules.fields = {{"d", "who"}};
  EXPECT_EQ(found(rules, "d", R"("speaker":"ann","who":"eve")", "bob-1", ""), "eve");
  EXPECT_EQ(found(rules, "d", R"("speaker":"ann")", "bob-1", ""), "");
  EXPECT_EQ(found(rules, "d", R"("x":"ann")", "bob-1", ""), "bob");
}

TEST(Speakers, ABadPatternIsAnError) {
  for (const char* const bad : {"", "(", "[", "a{2,1}"}) EXPECT_THROW(SpeakerPattern{bad}, Error) << bad;
  EXPECT_EQ(SpeakerPattern("(x)|y").find_in("y"), "");
}

TEST(Speakers, AnExampleTellsSamplesApart) {
  EXPECT_EQ(speaker_advice("d", "S1-004"), "d\t, for example d='^([^-]+)-', which finds 'S1' in 'S1-004'");
  EXPECT_EQ(speaker_advice("d", "S1-004", {"S2-001"}), speaker_advice("d", "S1-004"));
  EXPECT_EQ(speaker_advice("d", "S1-004", {"S1-001", "S2-001"}), speaker_advice("d", "S1-004"));
  EXPECT_EQ(speaker_advice("d", "2024_S1_004", {"2024_S2_001"}),
            "d\t, for example d='^[^_]+_([^_]+)_', which finds 'S1' in '2024_S1_004'");
  EXPECT_EQ(speaker_advice("d", "a/zh_S1_4", {"a/zh_S2_1"}),
            "d\t, for example d='[^/_]+_([^/_]+)_[^/]*$', which finds 'S1' in 'a/zh_S1_4'");
  std::vector<std::string> unlike;
  for (int number = 0; number < 30; ++number) unlike.push_back(fmt::format("k{}_x", number));
  EXPECT_EQ(speaker_advice("d", "k_x", unlike), "d") << "one for each sample";
  for (std::string& key : unlike) key = "zh_" + key.substr(0, 2);
  EXPECT_EQ(speaker_advice("d", "extra_1", unlike), "d") << "one for nearly all";
  EXPECT_EQ(speaker_advice("d", "take", {"other"}), "d");
  EXPECT_EQ(speaker_advice("d", "a/anna/001", {"a/ben/001"}),
            "d\t, for example d='([^/]+)/[^/]*$', which finds 'anna' in 'a/anna/001'");
  EXPECT_EQ(speaker_advice("d", "wavs/001", {"wavs/002"}), "d");
}

}  // namespace
}  // namespace shardmill::pipeline
