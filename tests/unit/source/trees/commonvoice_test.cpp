#include <string>

#include "source/corpus_test.hpp"

namespace shardmill::source {
namespace {

using shardmill::testing::TemporaryFolder;

TEST(CommonVoiceTest, LinesThatAreTooShort) {
  const TemporaryFolder folder;
  folder.write("cv/ab/train.tsv", "client_id\tpath\tsentence\nx\ta.mp3\n");
  folder.write("cv/ab/clips/a.mp3", "x");
  EXPECT_THAT(problem_of_corpus(CorpusKind::commonvoice, folder.file("cv")),
              HasSubstr("train.tsv: line 2: has too few fields"));
}

TEST(CommonVoiceTest, ATableWithoutSentences) {
  const TemporaryFolder folder;
  folder.write("cv/ab/train.tsv", "client_id\tpath\nx\ta.mp3\n");
  folder.write("cv/ab/clips/a.mp3", "x");
  EXPECT_THAT(problem_of_corpus(CorpusKind::commonvoice, folder.file("cv")),
              HasSubstr("has no column 'sentence': its columns are client_id, path"));
}

}  // namespace
}  // namespace shardmill::source
