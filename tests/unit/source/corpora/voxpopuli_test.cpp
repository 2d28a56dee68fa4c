#include <string>

#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

// As get_asr_data.py of the publisher writes it: a header and one line for each piece of a session.
constexpr std::string_view kHeader =
    "id\traw_text\tnormalized_text\tspeaker_id\tsplit\tgender\tis_gold_transcript\taccent\n";
constexpr std::string_view kFolder = "voxpopuli/transcribed_data/";

std::string in(std::string_view path) {
  return std::string(kFolder) + std::string(path);
}

TEST(VoxPopuliTest, ATableForEachSplit) {
  ToldTree corpus(kVoxPopuli);
  const std::string row =
      "20090112-0900-PLENARY-3-en_20090112-09:00:12_0\tMr. President, \"hello\".\tmr president hello\t77\t"
      "train\tmale\tFalse\tNone\n";
  EXPECT_TRUE(corpus.tell(in("en/asr_train.tsv"), std::string(kHeader) + row));
  EXPECT_TRUE(corpus.tell(in("en/asr_dev.tsv"), kHeader));
  EXPECT_THAT(
      corpus.says(in("en/2009/20090112-0900-PLENARY-3-en_20090112-09:00:12_0.ogg")),
      ElementsAre("20090112-0900-PLENARY-3-en_20090112-09:00:12_0 'mr president hello' "
                  R"({"speaker":"77","gender":"male","language":"en","lang":"en","subset":"train"})"));
  EXPECT_THAT(corpus.lost(), IsEmpty());
}

TEST(VoxPopuliTest, TheOtherText) {
  ToldTree corpus(kVoxPopuli, {.text_field = "raw_text"});
  corpus.tell(in("en/asr_dev.tsv"), std::string(kHeader) + "a\tHello, you.\thello you\t1\tdev\tfemale\t\t\n");
  EXPECT_THAT(corpus.says(in("en/2012/a.ogg")), ElementsAre(HasSubstr("a 'Hello, you.'")));
}

TEST(VoxPopuliTest, TheTableOfTheDownloadIsNoTranscript) {
  // The publisher's script downloads asr_en.tsv.gz into the same folder and leaves it there. It has other
  // columns, with | between them, for whole sessions.
  ToldTree corpus(kVoxPopuli);
  EXPECT_EQ(corpus.problem(in("en/asr_en.tsv.gz"),
                           "session_id|id_|original_text|duration|normed_text|speaker_id|gender|split\n"),
            "is not read");
  EXPECT_EQ(corpus.problem(in("en/asr_train.tsv"), kHeader), "no problem");
  EXPECT_EQ(corpus.problem(in("en/asr_test.tsv.gz"), kHeader), "no problem");
}

TEST(VoxPopuliTest, AccentedEnglishIsEnglish) {
  ToldTree corpus(kVoxPopuli);
  corpus.tell(in("en_accented/asr_test.tsv"),
              std::string(kHeader) + "a\tA\ta\t1\ttest\tmale\tFalse\ten_de\n");
  EXPECT_THAT(corpus.says(in("en_accented/2012/a.ogg")),
              ElementsAre(HasSubstr(R"("language":"en","lang":"en")")));
}

TEST(VoxPopuliTest, WithoutASplitInTheTableItsNameTells) {
  ToldTree corpus(kVoxPopuli);
  corpus.tell(in("et/asr_dev.tsv"), "id\tnormalized_text\na\ttere\n");
  EXPECT_THAT(corpus.says(in("et/2012/a.ogg")),
              ElementsAre(R"(a 'tere' {"language":"et","lang":"et","subset":"dev"})"));
}

TEST(VoxPopuliTest, AudioWaitsUntilAllTablesWereRead) {
  ToldTree corpus(kVoxPopuli);
  EXPECT_THAT(corpus.says(in("en/2012/a.ogg")), ElementsAre("?"));
  corpus.tell(in("en/asr_train.tsv"), std::string(kHeader) + "b\tB\tb\t1\ttrain\tmale\tFalse\tNone\n");
  EXPECT_THAT(corpus.says(in("en/2012/a.ogg")), ElementsAre("?"));
  corpus.end();
  EXPECT_THAT(corpus.says(in("en/2012/a.ogg")), ElementsAre("a"));
  EXPECT_THAT(corpus.lost(), ElementsAre("b: " + in("en/asr_train.tsv") +
                                         ": line 2: 'b' has a transcript, but there is no such audio"));
}

TEST(VoxPopuliTest, TablesThatMakeNoSense) {
  const auto problem = [](std::string_view content) {
    return ToldTree(kVoxPopuli).problem(in("en/asr_train.tsv"), content);
  };
  EXPECT_EQ(problem(""), "no problem");
  EXPECT_THAT(problem("id\traw_text\n"), HasSubstr("line 1: has no column 'normalized_text'"));
  EXPECT_THAT(problem("raw_text\tnormalized_text\n"), HasSubstr("line 1: has no column 'id'"));
  EXPECT_THAT(problem("id\traw_text\tnormalized_text\na\tb\n"), HasSubstr("line 2: has "));
  EXPECT_THAT(problem("id\tnormalized_text\na\tx\na\ty\n"), HasSubstr("line 3: 'a' is in line 2 of"));
}

}  // namespace
}  // namespace shardmill::source
