#include <string>

#include "source/corpora/told_tree.hpp"
#include "source/corpus_test.hpp"

namespace shardmill::source {
namespace {

using shardmill::testing::TemporaryFolder;

TEST(CommonVoiceTest, LinesThatAreTooShort) {
  const TemporaryFolder folder;
  folder.write("cv/ab/train.tsv", "client_id\tpath\tsentence\nx\ta.mp3\n");
  folder.write("cv/ab/clips/a.mp3", "x");
  EXPECT_THAT(problem_of_corpus(kCommonVoice, folder.file("cv")), HasSubstr("train.tsv: line 2: has "));
}

TEST(CommonVoiceTest, ATableWithoutSentences) {
  const TemporaryFolder folder;
  folder.write("cv/ab/train.tsv", "client_id\tpath\nx\ta.mp3\n");
  folder.write("cv/ab/clips/a.mp3", "x");
  EXPECT_THAT(problem_of_corpus(kCommonVoice, folder.file("cv")),
              HasSubstr("has no column 'sentence': its columns are client_id, path"));
}

TEST(CommonVoiceTest, AMissingSplitIsNamed) {
  constexpr const char* kTable = "client_id\tpath\tsentence\na\tx.mp3\tText\n";
  const auto problem = [&](const TreeOptions& options,
                           std::initializer_list<const char*> tables) -> std::string {
    shardmill::testing::ToldTree corpus(kCommonVoice, options);
    for (const char* table : tables) {
      corpus.tell(std::string("cv/en/") + table + ".tsv",
                  std::string(table) == "train" ? kTable : "client_id\tpath\tsentence\n");
    }
    try {
      corpus.end();
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(problem({.needs_splits = true}, {"train", "dev", "test"}), "none");
  EXPECT_EQ(problem({.needs_splits = true}, {}), "none");
  EXPECT_THAT(problem({.needs_splits = true}, {"validated"}),
              ::testing::HasSubstr("train.tsv is missing beside validated.tsv"));
  EXPECT_THAT(problem({.needs_splits = true}, {"train", "test"}), ::testing::HasSubstr("dev.tsv is missing"));
  EXPECT_EQ(problem({}, {"validated"}), "none");
}

}  // namespace
}  // namespace shardmill::source
