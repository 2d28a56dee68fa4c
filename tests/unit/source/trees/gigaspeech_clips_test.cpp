#include "source/trees/gigaspeech_clips.hpp"

#include "source/trees/tree_test.hpp"

namespace shardmill::source {
namespace {

constexpr std::string_view kTable = "data/metadata/s_metadata_additional/s_chunks_0000_metadata.csv";
constexpr std::string_view kRows =
    "sid,speaker,begin_time,end_time,text_tn,aid,title\r\n"
    "YOU1_S0000001,N/A,1.5,2.5,HELLO <COMMA> YOU,YOU1,\"a, b\"\r\n"
    "YOU1_S0000002,Ann,2.5,3.5,BYE,YOU1,\r\n"
    "YOU1_S0000003,N/A,3.5,4.5,<MUSIC>,YOU1,\r\n";

TEST(GigaSpeechClipsTest, ATableForEachArchive) {
  ToldTree corpus(CorpusKind::gigaspeech);
  EXPECT_TRUE(corpus.tell(kTable, kRows));
  EXPECT_THAT(
      corpus.says("data/audio/s_files_additional/s_chunks_0000/YOU1_S0000001.wav"),
      ElementsAre("YOU1_S0000001 'HELLO YOU' {\"recording\":\"YOU1\",\"language\":\"en\",\"lang\":\"en\","
                  "\"subset\":\"XL L M S\"}"));
  EXPECT_THAT(corpus.says("x/YOU1_S0000003.wav"), IsEmpty());
  EXPECT_THAT(corpus.says("x/YOU1_S0000004.wav"), ElementsAre("?"));
  EXPECT_THAT(corpus.lost(), ElementsAre(HasSubstr("YOU1_S0000002: ")));
  EXPECT_TRUE(corpus.corpus().belongs_to("YOU1_S0000002", "s_files_additional/s_chunks_0000"));
  EXPECT_FALSE(corpus.corpus().belongs_to("YOU1_S0000002", "xs_files/xs_chunks_0000"));
  EXPECT_THAT(corpus.says("x/YOU1_S0000002.wav"), ElementsAre(HasSubstr("\"speaker\":\"Ann\"")));
}

TEST(GigaSpeechClipsTest, OtherTablesAreNone) {
  ToldTree corpus(CorpusKind::gigaspeech);
  EXPECT_FALSE(corpus.tell("data/metadata.csv", kRows));
  EXPECT_FALSE(corpus.tell("data/s_metadata.csv", kRows));
}

}  // namespace
}  // namespace shardmill::source
