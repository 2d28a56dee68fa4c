#include "source/corpora.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/temporary_folder.hpp"

namespace shardmill::source {
namespace {

using shardmill::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;

class CorporaTest : public ::testing::Test {
 protected:
  std::optional<CorpusKind> shape(const std::string& folder) {
    return look_into(folder_.file(folder)).corpus;
  }

  TemporaryFolder folder_;
};

TEST_F(CorporaTest, Names) {
  for (const char* known : {"kaldi", "wenet", "librispeech", "aishell", "aishell2", "nemo", "audio"}) {
    ASSERT_TRUE(corpus_kind_by_name(known));
    EXPECT_EQ(name(*corpus_kind_by_name(known)), known);
  }
  EXPECT_FALSE(corpus_kind_by_name("Kaldi"));
  EXPECT_FALSE(corpus_kind_by_name(""));
}

TEST_F(CorporaTest, FoldersByTheirShape) {
  folder_.write("kaldi/wav.scp", "");
  folder_.write("kaldi/text", "");
  folder_.write("aishell2/wav.scp", "");
  folder_.write("aishell2/trans.txt", "");
  folder_.write("above/data/trans.txt", "");
  folder_.write("above/data/wav/S/a.wav", "");
  folder_.write("aishell/data_aishell/transcript/aishell_transcript_v0.8.txt", "");
  folder_.write("aishell/data_aishell/wav/S0002.tar.gz", "");
  folder_.write("libri/1/2/1-2.trans.txt", "");
  folder_.write("libri/1/2/1-2-0000.flac", "");
  folder_.write("plain/x/a.WAV", "");
  folder_.write("nothing/x/a.txt", "");
  EXPECT_EQ(shape("kaldi"), CorpusKind::kaldi);
  EXPECT_EQ(shape("aishell2"), CorpusKind::aishell2);
  EXPECT_EQ(shape("above"), CorpusKind::aishell2);
  EXPECT_EQ(shape("aishell"), CorpusKind::aishell);
  EXPECT_THAT(look_into(folder_.file("aishell")).shards, IsEmpty());
  EXPECT_EQ(shape("libri"), CorpusKind::librispeech);
  EXPECT_EQ(shape("plain"), CorpusKind::audio_folder);
  EXPECT_EQ(shape("nothing"), std::nullopt);
  folder_.write("kaldi/shards/a.tar", "");
  EXPECT_THAT(look_into(folder_.file("kaldi")).shards, ElementsAre(EndsWith("a.tar")));
}

TEST_F(CorporaTest, FilesByTheirFirstLine) {
  EXPECT_EQ(corpus_kind_of_file(folder_.write("a", "\xEF\xBB\xBF{\"x\":1,\"key\":\"k\",\"wav\":\"w\"}\r\nx")),
            CorpusKind::wenet);
  EXPECT_EQ(corpus_kind_of_file(folder_.write("b", "\n {\"audio_filepath\":1}")), CorpusKind::nemo);
  for (const char* other : {"", "{\"key\":1}", "[1]", "{", "a.tar\n", "# x\n", "\xff"}) {
    EXPECT_EQ(corpus_kind_of_file(folder_.write("c", other)), std::nullopt) << other;
  }
}

}  // namespace
}  // namespace shardmill::source
