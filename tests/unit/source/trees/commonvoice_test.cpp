#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "source/corpora.hpp"
#include "source/corpus_lines.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::source {
namespace {

using shardmill::testing::problem_of_corpus;
using shardmill::testing::TemporaryFolder;
using ::testing::HasSubstr;

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
