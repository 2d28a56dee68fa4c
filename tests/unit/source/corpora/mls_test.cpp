#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

constexpr std::string_view kMlsSpeakers =
    " SPEAKER   |   GENDER   | PARTITION  |  MINUTES   |  BOOK ID   |             TITLE  | CHAPTER\n"
    "  6892     |     M      |    train   |   9.7      |  10049     | Kleine Geschichten | 001\n"
    "  6892     |     M      |    train   |   3.1      |  10049     | Kleine Geschichten | 002\n";

TEST(MlsTest, ATranscriptOfEachSplit) {
  ToldTree corpus(kMls);
  EXPECT_TRUE(corpus.tell("mls_german/metainfo.txt", kMlsSpeakers));
  EXPECT_TRUE(corpus.tell("mls_german/train/transcripts.txt", "6892_10049_000000\tdaß ich die vögel höre\n"));
  EXPECT_FALSE(corpus.tell("mls_german/train/segments.txt", "6892_10049_000000\thttp://x\t1\t2\n"));
  EXPECT_FALSE(corpus.tell("mls_german/train/limited_supervision/1hr/0/handles.txt", "6892_10049_000000\n"));
  EXPECT_THAT(
      corpus.says("mls_german/train/audio/6892/10049/6892_10049_000000.flac"),
      ElementsAre("6892_10049_000000 'daß ich die vögel höre' "
                  R"({"speaker":"6892","gender":"M","language":"german","lang":"german","subset":"train"})"));
  EXPECT_THAT(corpus.lost(), IsEmpty());
}

TEST(MlsTest, TheOpusReleaseHasTheSameLanguage) {
  ToldTree corpus(kMls);
  corpus.tell("mls_polish_opus/dev/transcripts.txt", "1_2_3\ttak\n");
  EXPECT_THAT(corpus.says("mls_polish_opus/dev/audio/1/2/1_2_3.opus"),
              ElementsAre(HasSubstr(R"("language":"polish","lang":"polish","subset":"dev")")));
}

TEST(MlsTest, AudioWaitsForTheTranscriptOfItsSplit) {
  ToldTree corpus(kMls);
  corpus.tell("mls_german/dev/transcripts.txt", "1_2_3\tja\n");
  EXPECT_THAT(corpus.says("mls_german/train/audio/1/2/1_2_4.flac"), ElementsAre("?"));
  EXPECT_EQ(corpus.corpus().awaited("mls_german/train/audio/1/2/1_2_4.flac"), "mls_german/train");
  EXPECT_EQ(corpus.corpus().awaited("mls_german/train/transcripts.txt"), "mls_german/train");
  corpus.tell("mls_german/train/transcripts.txt", "\n");
  EXPECT_THAT(corpus.says("mls_german/train/audio/1/2/1_2_4.flac"),
              ElementsAre(R"(1_2_4 {"speaker":"1","language":"german","lang":"german","subset":"train"})"));
  EXPECT_THAT(corpus.lost(), ElementsAre(HasSubstr("1_2_3: mls_german/dev/transcripts.txt: line 1: ")));
}

TEST(MlsTest, TextsThatMakeNoSense) {
  ToldTree corpus(kMls);
  EXPECT_EQ(corpus.problem("mls_x/metainfo.txt", "no table\n| |\n"), "no problem");
  EXPECT_EQ(corpus.problem("mls_x/dev/transcripts.txt",
                           "\xEF\xBB\xBF"
                           "1_2_3\tA\r\n1_2_4\r\n"),
            "no problem");
  EXPECT_THAT(corpus.says("mls_x/dev/audio/1/2/1_2_3.flac"), ElementsAre(HasSubstr("1_2_3 'A'")));
  EXPECT_THAT(corpus.problem("mls_x/test/transcripts.txt", "1_2_3\tA\n"),
              HasSubstr("line 1: '1_2_3' is in line 1 of mls_x/dev"));
  EXPECT_THAT(corpus.problem("mls_x/train/transcripts.txt", "1_2_9\tv\xF6gel\n"),
              HasSubstr("line 1: column 8: is not UTF-8"));
}

}  // namespace
}  // namespace shardmill::source
