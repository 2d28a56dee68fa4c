#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "source/detection.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::source {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class OneCorpusTest : public ::testing::Test {
 protected:
  std::string problem(const std::string& folder) const {
    try {
      check_one_corpus(folder_.file(folder));
    } catch (const Error& error) {
      return error.what() + std::string(error.advice());
    }
    return "no problem";
  }
  void aishell(const std::string& folder) const {
    folder_.write(folder + "/data_aishell/transcript/aishell_transcript_v0.8.txt", "BAC009S0002W0122 x\n");
    folder_.write(folder + "/data_aishell/wav/train/S0002/BAC009S0002W0122.wav", "x");
  }

  testing::TemporaryFolder folder_;
};

TEST_F(OneCorpusTest, OneIsRight) {
  aishell("one");
  EXPECT_EQ(problem("one"), "no problem");
  folder_.write("audio/a.wav", "x");
  folder_.write("audio/b/c.flac", "x");
  EXPECT_EQ(problem("audio"), "no problem");
}

TEST_F(OneCorpusTest, TwoAreNamedWithTheirPlaces) {
  aishell("two");
  folder_.write("two/LibriSpeech/dev-clean/84/121123/84-121123.trans.txt", "84-121123-0000 X\n");
  folder_.write("two/LibriSpeech/dev-clean/84/121123/84-121123-0000.flac", "x");
  EXPECT_THAT(problem("two"), AllOf(HasSubstr("holds more than one corpus"), HasSubstr("AISHELL"),
                                    HasSubstr("LibriSpeech"), HasSubstr("give each as a source of its own")));
}

TEST_F(OneCorpusTest, OtherAudioBesideACorpus) {
  aishell("mixed");
  folder_.write("mixed/talks/a.wav", "x");
  EXPECT_THAT(problem("mixed"), HasSubstr("holds more than one corpus"));
}

TEST_F(OneCorpusTest, SourcesToGiveHaveDifferentNames) {
  aishell("names");
  folder_.write("names/calls/wav/a.wav", "x");
  folder_.write("names/talks/wav/b.wav", "x");
  const std::string place = folder_.file("names");
  EXPECT_THAT(problem("names"),
              AllOf(HasSubstr(" calls_wav=" + place + "/calls/wav talks_wav=" + place + "/talks/wav"),
                    HasSubstr(" aishell:" + place)));
}

TEST_F(OneCorpusTest, ATableThatListsTheAudioIsTheSource) {
  aishell("listed");
  folder_.write("listed/clips/a.wav", "x");
  folder_.write("listed/clips.csv", "path,sentence\nclips/a.wav,said\n");
  folder_.write("listed/read/audio/b.wav", "x");
  folder_.write("listed/read/manifest.json",
                R"({"audio_filepath": "audio/b.wav", "text": "t", "duration": 1})");
  folder_.write("listed/own/c.wav", "x");
  folder_.write("listed/own/c.txt", "x");
  folder_.write("listed/own/c.csv", "path,sentence\nc.wav,said\n");
  folder_.write("listed/keys/d.wav", "x");
  folder_.write("listed/keys.csv", "id,sentence\nd,said\n");
  const std::string place = folder_.file("listed");
  EXPECT_THAT(
      problem("listed"),
      AllOf(HasSubstr(" " + place + "/clips.csv"), HasSubstr(" read=" + place + "/read/manifest.json"),
            HasSubstr(" " + place + "/own"), Not(HasSubstr("c.csv")), HasSubstr(" " + place + "/keys")));
}

}  // namespace
}  // namespace shardmill::source
