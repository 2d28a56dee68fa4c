#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

TEST(TedLiumTest, SegmentsOfATalk) {
  ToldTree corpus(kTedLium);
  EXPECT_TRUE(corpus.tell(
      "TEDLIUM_release2/train/stm/911Mothers_2010W.stm",
      ";; CATEGORY \"0\" \"\" \"\"\n"
      "911Mothers_2010W 1 911Mothers_2010W 14.23 16.71 <o,f0,female> phyllis rodriguez : we are {NOISE}\n"
      "911Mothers_2010W 1 inter_segment_gap 16.71 17.00 <o,f0,> ignore_time_segment_in_scoring\n"
      "911Mothers_2010W 1 Aicha_Wafi 17.0 18.5 <o,f0,male> translator(2)\n"
      "911Mothers_2010W 1 911Mothers_2010W 18.50 19 <o,f0,female> ignore_time_segment_in_scoring\n"));
  EXPECT_THAT(
      corpus.says("TEDLIUM_release2/train/sph/911Mothers_2010W.sph"),
      ElementsAre(
          "911Mothers_2010W-0001423-0001671 [14.23 16.71] 'phyllis rodriguez : we are {NOISE}' "
          R"({"speaker":"911Mothers_2010W","gender":"female","language":"en","lang":"en",)"
          R"("subset":"train"})",
          "911Mothers_2010W-0001700-0001850 [17 18.5] 'translator(2)' "
          R"({"speaker":"Aicha_Wafi","gender":"male","language":"en","lang":"en","subset":"train"})"));
  EXPECT_THAT(corpus.lost(), IsEmpty());
}

TEST(TedLiumTest, TextsOfReleaseThreeHaveNoLabelsAndLieTwice) {
  ToldTree corpus(kTedLium);
  // All talks are in data/; legacy/ has their splits, and links to their audio.
  corpus.tell("TEDLIUM_release-3/data/stm/A_2009.stm", "A_2009 1 A_2009 5 18.05 <NA> you know <unk>\n");
  EXPECT_THAT(
      corpus.says("TEDLIUM_release-3/data/sph/A_2009.sph"),
      ElementsAre(
          R"(A_2009-0000500-0001805 [5 18.05] 'you know <unk>' {"speaker":"A_2009","language":"en","lang":"en"})"));
  corpus.tell("TEDLIUM_release-3/legacy/dev/stm/A_2009.stm", "A_2009 1 A_2009 5 18.05 <NA> you know <unk>\n");
  EXPECT_THAT(corpus.says("TEDLIUM_release-3/data/sph/A_2009.sph"),
              ElementsAre(HasSubstr(R"("subset":"dev")")));
  EXPECT_THAT(corpus.says("TEDLIUM_release-3/legacy/dev/sph/A_2009.sph"), IsEmpty());
}

TEST(TedLiumTest, AnUnlabelledLineAndOneWithoutText) {
  ToldTree corpus(kTedLium);
  corpus.tell("x/stm/T.stm", "T 1 S 0 1 just text\r\nT 1 S 1 2.005 ignore_time_segment_in_scoring\r\n");
  EXPECT_THAT(corpus.says("x/sph/T.sph"), ElementsAre(HasSubstr("T-0000000-0000100 [0 1] 'just text'")));
  for (const char* end : {"", " ", " <o,f0,unknown>", " <o,f0,unknown>\r"})
    EXPECT_THAT(ToldTree(kTedLium).problem("x/stm/T.stm", fmt::format("T 1 S 1 2.005{}\n", end)),
                HasSubstr("line 1: has times, but no text"))
        << end;
}

TEST(TedLiumTest, TalksWaitForTheirOwnText) {
  ToldTree corpus(kTedLium);
  EXPECT_THAT(corpus.says("train/sph/T.sph"), ElementsAre("?"));
  EXPECT_EQ(corpus.corpus().awaited("train/sph/T.sph"), corpus.corpus().awaited("train/stm/T.stm"));
  EXPECT_FALSE(corpus.tell("TEDLIUM.152k.dic", "a"));
  corpus.tell("test/stm/U.stm", "U 1 U 0 1 <NA> text\n");
  EXPECT_THAT(corpus.lost(),
              ElementsAre("U: test/stm/U.stm: 'U' has 1 transcribed segment, but there is no such audio"));
}

TEST(TedLiumTest, LinesThatMakeNoSense) {
  const auto problem = [](std::string_view content) {
    return ToldTree(kTedLium).problem("train/stm/T.stm", content);
  };
  EXPECT_EQ(problem(""), "no problem");
  EXPECT_THAT(problem("T 1 S 0 1 <o> a\nT 1 S zero 1 <o> a\n"),
              HasSubstr("T.stm: line 2: 'zero' is not a number of seconds"));
  EXPECT_THAT(problem("T 1 S\n"), HasSubstr("line 1: '' is not a number of seconds"));
  EXPECT_THAT(problem("T 1 S 0 nan <o> a\n"), HasSubstr("line 1: 'nan' is not a number of seconds"));
  EXPECT_THAT(problem("T 1 S 0 1e999 <o> a\n"), HasSubstr("'1e999' is not a number of seconds"));
  EXPECT_THAT(problem("T 1 S 0 1,5 <o> a\n"), HasSubstr("'1,5' is not a number of seconds"));
}

TEST(TedLiumTest, TimesThatAreFarTooLarge) {
  // The key cannot hold such a time. What the segment is worth is for the reader of its audio to say.
  ToldTree corpus(kTedLium);
  EXPECT_THAT(corpus.problem("train/stm/T.stm", "T 1 S 0 1e300 <o> a\n"),
              HasSubstr("line 1: '1e300' is not a number of seconds"));
  EXPECT_THAT(corpus.problem("train/stm/U.stm", "U 1 S -1e300 1 <o> a\n"),
              HasSubstr("line 1: '-1e300' is not a number of seconds"));
}

TEST(TedLiumTest, WhereTheSplitsAreLostNothingIsMixed) {
  ToldTree corpus(kTedLium, {.needs_splits = true});
  corpus.tell("TEDLIUM_release-3/data/stm/A_2009.stm", "A_2009 1 A_2009 5 18.05 <NA> you know\n");
  EXPECT_THROW(corpus.says("TEDLIUM_release-3/data/sph/A_2009.sph"), Error);
  corpus.tell("TEDLIUM_release-3/legacy/dev/stm/A_2009.stm", "A_2009 1 A_2009 5 18.05 <NA> you know\n");
  EXPECT_THAT(corpus.says("TEDLIUM_release-3/data/sph/A_2009.sph"),
              ElementsAre(HasSubstr(R"("subset":"dev")")));
}

}  // namespace
}  // namespace shardmill::source
