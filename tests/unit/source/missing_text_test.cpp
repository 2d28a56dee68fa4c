#include "source/missing_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/temporary_folder.hpp"

namespace shardmill::source {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TextCount count(std::uint64_t samples, std::uint64_t with_text) {
  return {.samples = samples, .with_text = with_text};
}

TEST(MissingTextRule, MoreThanATenthIsTooMuch) {
  EXPECT_FALSE(is_refused(count(0, 0), MissingText::refused));
  EXPECT_FALSE(is_refused(count(100, 90), MissingText::refused));
  EXPECT_TRUE(is_refused(count(100, 89), MissingText::refused));
  EXPECT_TRUE(is_refused(count(1, 0), MissingText::refused));
  EXPECT_FALSE(is_refused(count(100, 1), MissingText::unless_all));
  EXPECT_TRUE(is_refused(count(100, 0), MissingText::unless_all));
  EXPECT_FALSE(is_refused(count(0, 0), MissingText::unless_all));
  EXPECT_FALSE(is_refused(count(100, 0), MissingText::allowed));
}

TEST(MissingTextRule, InWords) {
  EXPECT_EQ(missing_text(count(1, 0)), "its only sample has no transcript");
  EXPECT_EQ(missing_text(count(6, 0)), "none of 6 samples has a transcript");
  EXPECT_EQ(missing_text(count(6, 5)), "1 of 6 samples has no transcript");
  EXPECT_EQ(missing_text(count(6, 3)), "3 of 6 samples have no transcript");
}

std::string problem(const std::vector<CorpusTexts>& corpora, MissingText rule) {
  try {
    check_texts("mine", corpora, rule);
  } catch (const Error& error) {
    return error.what();
  }
  return "no problem";
}

TEST(CheckTexts, AllCorporaOfADatasetCountTogether) {
  const std::vector<CorpusTexts> two{{.path = "/none/a", .texts = count(95, 95)},
                                     {.path = "/none/b", .texts = count(10, 0)}};
  EXPECT_EQ(problem({}, MissingText::refused), "no problem");
  EXPECT_EQ(problem(two, MissingText::refused), "no problem");
  const std::vector<CorpusTexts> worse{{.path = "/none/a", .texts = count(80, 80)},
                                       {.path = "/none/b", .texts = count(20, 0)}};
  EXPECT_THAT(problem(worse, MissingText::refused),
              HasSubstr("/none/b: dataset 'mine': 20 of 100 samples have no transcript"));
  EXPECT_EQ(problem(worse, MissingText::unless_all), "no problem");
  EXPECT_EQ(problem(worse, MissingText::allowed), "no problem");
}

TEST(CheckTexts, TranscriptsWhoseAudioIsNotThere) {
  const std::vector<CorpusTexts> some{{.path = "/none/a", .texts = count(10, 10), .without_audio = 1}};
  EXPECT_EQ(problem(some, MissingText::refused), "no problem");
  const std::vector<CorpusTexts> many{{.path = "/none/a", .texts = count(10, 10), .without_audio = 5}};
  EXPECT_THAT(problem(many, MissingText::refused),
              HasSubstr("/none/a: dataset 'mine': of 15 transcripts the audio is not there for 5"));
}

TEST(MissingTextError, SaysWhatItLooksLikeAndWhatToDo) {
  const shardmill::testing::TemporaryFolder folder;
  // AISHELL-3 without its content.txt.
  folder.write("A/train/wav/SSB0005/SSB00050001.wav", "x");
  const Error known = missing_text_error("a", count(1, 0), "none", folder.file("A"));
  EXPECT_THAT(known.what(), AllOf(HasSubstr("dataset 'a': none; found: 1 .wav file"),
                                  HasSubstr("this looks like AISHELL-3"), HasSubstr("content.txt")));
  EXPECT_EQ(known.remedy(), Remedy::allow_audio_alone);
  folder.write("B/x.wav", "x");
  EXPECT_THAT(missing_text_error("b", count(1, 0), "none", folder.file("B")).what(),
              HasSubstr("end in .txt"));
  EXPECT_THAT(
      missing_text_error("c", count(1, 0), "none", folder.write("C/x.tar", "x"), "1 .wav member").what(),
      AllOf(HasSubstr("found: 1 .wav member"), HasSubstr("KEY.txt members")));
}

}  // namespace
}  // namespace shardmill::source
