#include "check/duplicates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "archive/tar_building.hpp"
#include "audio/made_audio.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::check {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::made_wav;

class DuplicatesTest : public ::testing::Test {
 protected:
  std::string tar(const std::string& name, const std::vector<std::pair<std::string, std::string>>& files) {
    return folder_.write(name, archive::make_tar(files));
  }
  /// A WeNet list, which says who speaks, of WAVs in the folder.
  std::string list(const std::string& name, const std::string& lines) {
    return "wenet:" + folder_.write(name, lines);
  }
  std::string line(const std::string& key, const std::string& wav, const std::string& text,
                   const std::string& more) {
    return R"({"key":")" + key + R"(","wav":")" + folder_.file(wav) + R"(","txt":")" + text + "\"" + more +
           "}\n";
  }

  DuplicateSummary find(const std::vector<std::string>& sources,
                        const std::vector<std::string>& against = {}) {
    return find_duplicates({.sources = sources, .against = against}, workers_, reporter_);
  }
  /// "dataset/key" of each, with ! for those that are held against.
  static std::vector<std::string> keys(const DuplicateGroup& group) {
    std::vector<std::string> names;
    for (const auto& sample : group.samples)
      names.push_back(sample.dataset + "/" + sample.key + (sample.is_against ? "!" : ""));
    return names;
  }

  testing::TemporaryFolder folder_;
  testing::SilentReporter reporter_;
  pipeline::Workers workers_{2, std::uint64_t{128} << 20};
};

TEST_F(DuplicatesTest, TheSameAudioUnderOtherKeys) {
  const std::string a = tar(
      "a.tar", {{"1.txt", "x"}, {"1.wav", made_wav(900, 1)}, {"2.txt", "y"}, {"2.wav", made_wav(900, 2)}});
  const std::string b =
      tar("b.tar", {{"3.txt", "x"}, {"3.wav", made_wav(900, 1)}, {"4.wav", made_wav(900, 4)}});
  const DuplicateSummary summary = find({"s=" + a, "t=" + b});
  EXPECT_EQ(summary.samples, 4u);
  EXPECT_EQ(summary.without_speaker, 4u);
  ASSERT_EQ(summary.audio.size(), 1u);
  EXPECT_THAT(keys(summary.audio[0]), ElementsAre("s/1", "t/3"));
  EXPECT_TRUE(summary.audio[0].same_bytes);
  EXPECT_EQ(summary.audio[0].samples[1].source, b);
  EXPECT_THAT(summary.texts, IsEmpty());
  EXPECT_THAT(find({"s=" + a}).audio, IsEmpty());
}

TEST_F(DuplicatesTest, TheSameSoundInAnotherContainer) {
  const testing::TemporaryFolder made;
  const auto files = audio::make_audio(made, R"(
values = (noise(5000) * 32767).astype('int16')
sf.write('a.wav', values, 16000)
sf.write('b.flac', values, 16000)
)");
  const std::string source =
      tar("a.tar", {{"1.wav", audio::content(files[0].file)}, {"2.flac", audio::content(files[1].file)}});
  const DuplicateSummary summary = find({"s=" + source});
  ASSERT_EQ(summary.audio.size(), 1u);
  EXPECT_FALSE(summary.audio[0].same_bytes);
  EXPECT_EQ(summary.undecodable, 0u);
}

TEST_F(DuplicatesTest, TheSameWordsOfTheSameSpeaker) {
  for (unsigned i = 1; i <= 5; ++i) folder_.write("wav/" + std::to_string(i) + ".wav", made_wav(800, i));
  const std::string one = R"(,"speaker":"S1")";
  const std::string source =
      list("data.list", line("a", "wav/1.wav", "hello", one) + line("b", "wav/2.wav", "hello", one) +
                            line("c", "wav/3.wav", "hello", R"(,"speaker":"S2")") +
                            line("d", "wav/4.wav", "other", one) + line("e", "wav/5.wav", "hello", ""));
  const DuplicateSummary summary = find({"s=" + source});
  EXPECT_EQ(summary.without_speaker, 1u);
  EXPECT_THAT(summary.audio, IsEmpty());
  ASSERT_EQ(summary.texts.size(), 1u);
  EXPECT_THAT(keys(summary.texts[0]), ElementsAre("s/a", "s/b"));
  EXPECT_EQ(summary.texts[0].text, "hello");
  EXPECT_THAT(summary.texts[0].speaker, HasSubstr("S1"));
}

TEST_F(DuplicatesTest, WordsOfAudioThatIsTheSameAreNotToldTwice) {
  folder_.write("wav/1.wav", made_wav(800, 1));
  folder_.write("wav/2.wav", made_wav(800, 1));
  const std::string one = R"(,"speaker":"S1")";
  const DuplicateSummary summary =
      find({"s=" + list("l", line("a", "wav/1.wav", "hello", one) + line("b", "wav/2.wav", "hello", one))});
  EXPECT_EQ(summary.audio.size(), 1u);
  EXPECT_THAT(summary.texts, IsEmpty());
}

TEST_F(DuplicatesTest, ASpeakerOfAnotherDatasetIsSomebodyElseUnlessItIsATestSet) {
  folder_.write("wav/1.wav", made_wav(800, 1));
  folder_.write("wav/2.wav", made_wav(800, 2));
  const std::string one = R"(,"speaker":"S1")";
  const std::string s = "s=" + list("a.list", line("a", "wav/1.wav", "hello", one));
  const std::string t = "t=" + list("b.list", line("b", "wav/2.wav", "hello", one));
  EXPECT_THAT(find({s, t}).texts, IsEmpty());
  const DuplicateSummary held = find({s}, {t});
  EXPECT_EQ(held.samples, 1u);
  EXPECT_EQ(held.against_samples, 1u);
  ASSERT_EQ(held.texts.size(), 1u);
  EXPECT_THAT(keys(held.texts[0]), ElementsAre("s/a", "t/b!"));
}

TEST_F(DuplicatesTest, AgainstATestSetOnlyWhatBothShareCounts) {
  const std::string train = tar(
      "train.tar", {{"1.wav", made_wav(900, 1)}, {"2.wav", made_wav(900, 1)}, {"3.wav", made_wav(900, 3)}});
  const std::string test = tar(
      "test.tar", {{"4.wav", made_wav(900, 3)}, {"5.wav", made_wav(900, 5)}, {"6.wav", made_wav(900, 5)}});
  const DuplicateSummary summary = find({"s=" + train}, {"t=" + test});
  ASSERT_EQ(summary.audio.size(), 1u);
  EXPECT_THAT(keys(summary.audio[0]), ElementsAre("s/3", "t/4!"));
}

TEST_F(DuplicatesTest, WhatCannotBeReadIsTold) {
  const std::string whole = archive::make_tar({{"1.wav", made_wav(900, 1)}, {"2.wav", made_wav(900, 1)}});
  const std::string cut = folder_.write("cut.tar", whole.substr(0, whole.size() / 2));
  const std::string bad = tar("bad.tar", {{"3.wav", "no audio"}, {"4.txt", "alone"}});
  const DuplicateSummary summary = find({"s=" + cut, "t=" + bad});
  EXPECT_THAT(summary.audio, IsEmpty());
  std::string all;
  for (const Error& error : summary.unusable) all += std::string(error.what()) + "\n";
  EXPECT_THAT(all, HasSubstr("cut.tar"));
  EXPECT_THAT(all, HasSubstr("bad.tar: member '3': "));
  EXPECT_THROW(find({folder_.file("none.tar")}), Error);
}

}  // namespace
}  // namespace shardmill::check
