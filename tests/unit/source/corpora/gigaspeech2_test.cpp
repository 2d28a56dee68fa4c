#include "source/corpora/tree_test.hpp"

namespace shardmill::source {
namespace {

TEST(GigaSpeech2Test, TheRefinedTextIsTakenWhateverTheOrder) {
  constexpr const char* kRaw = "0-1-2\tRAW\r\n0-1-3\tonly raw\r\n";
  constexpr const char* kRefined = "0-1-2\tRefined.\n";
  for (const bool raw_first : {true, false}) {
    for (const auto& [options, text] :
         {std::pair(TreeOptions{}, "Refined."), std::pair(TreeOptions{.text_field = "raw"}, "RAW"),
          std::pair(TreeOptions{.subsets = {"train_raw"}}, "RAW")}) {
      ToldTree corpus(kGigaSpeech2, options);
      if (raw_first) {
        EXPECT_TRUE(corpus.tell("data/vi/train_raw.tsv", kRaw));
      }
      EXPECT_TRUE(corpus.corpus().awaits_remarks());
      EXPECT_TRUE(corpus.tell("data/vi/train_refined.tsv", kRefined));
      if (!raw_first) {
        EXPECT_TRUE(corpus.tell("data/vi/train_raw.tsv", kRaw));
      }
      EXPECT_FALSE(corpus.corpus().awaits_remarks());
      EXPECT_THAT(
          corpus.says("data/vi/train/0/1/0-1-2.wav"),
          ElementsAre(fmt::format(
              R"(0-1-2 '{}' {{"language":"vi","lang":"vi","subset":"train_raw train_refined"}})", text)));
      EXPECT_THAT(corpus.says("data/vi/dev/0/1/0-1-2.wav"), ElementsAre("?"));
      EXPECT_THAT(corpus.says("data/th/train/0/1/0-1-2.wav"), ElementsAre("?"));
      EXPECT_THAT(corpus.lost(), ElementsAre(HasSubstr("line 2: 'vi/train/0-1-3' has a transcript")));
    }
  }
}

TEST(GigaSpeech2Test, WhatAnArchiveHolds) {
  const ToldTree told(kGigaSpeech2);
  const TreeCorpus& corpus = told.corpus();
  for (const auto& [path, name] :
       {std::pair("x/th/train/12.tar.gz", "th/train/12"), std::pair("x/th/train/12/3", "th/train/12"),
        std::pair("x/th/dev.tar.gz", "th/dev"), std::pair("x/th/dev/0/3", "th/dev"),
        std::pair("x/other.tar.gz", "other")})
    EXPECT_EQ(corpus.packed_name(path), name) << path;
  EXPECT_TRUE(corpus.belongs_to("th/train/12-0-1", "th/train/12"));
  EXPECT_FALSE(corpus.belongs_to("th/train/12-0-1", "th/train/1"));
  EXPECT_FALSE(corpus.belongs_to("vi/train/12-0-1", "th/train/12"));
  EXPECT_TRUE(corpus.belongs_to("th/dev/12-0-1", "th/dev"));
}

TEST(GigaSpeech2Test, RowsThatMakeNoSense) {
  EXPECT_THAT(ToldTree(kGigaSpeech2).problem("th/dev.tsv", "0-1-2 no tab\n"),
              HasSubstr("line 1: is not made"));
  EXPECT_THAT(ToldTree(kGigaSpeech2).problem("th/dev.tsv", "0-1-2\ta\tb\n"),
              HasSubstr("line 1: is not made"));
  EXPECT_THAT(ToldTree(kGigaSpeech2).problem("th/dev.tsv", "0-1-2\ta\n0-1-2\ta\n"), HasSubstr("line 2: "));
  ToldTree corpus(kGigaSpeech2);
  EXPECT_TRUE(corpus.tell("th/dev.tsv", "0-1-2\t\n"));
  EXPECT_THAT(corpus.says("th/dev/0/1/0-1-2.wav"), ElementsAre(HasSubstr("0-1-2 ''")));
}

}  // namespace
}  // namespace shardmill::source
