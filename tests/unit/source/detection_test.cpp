#include "source/detection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "source/corpora/list.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::source {
namespace {

using shardmill::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;

class DetectionTest : public ::testing::Test {
 protected:
  const Corpus* shape(const std::string& folder) { return look_into(folder_.file(folder)).corpus; }

  TemporaryFolder folder_;
};

TEST_F(DetectionTest, EveryCorpusHasARule) {
  for (const Corpus* corpus : all_corpora()) {
    EXPECT_TRUE(!corpus->texts.empty() || corpus->is_in != nullptr || corpus->fits_line != nullptr ||
                corpus->fits_table != nullptr || corpus->takes_any_audio)
        << corpus->name;
    EXPECT_EQ(corpus->is_tree(), !corpus->in_archive.empty()) << corpus->name;
    EXPECT_EQ(corpus->is_tree(), corpus->is_read() && !corpus->texts.empty()) << corpus->name;
  }
}

TEST_F(DetectionTest, FoldersByTheirShape) {
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
  EXPECT_EQ(shape("kaldi"), &kKaldi);
  EXPECT_EQ(shape("aishell2"), &kAishell2);
  EXPECT_EQ(shape("above"), &kAishell2);
  EXPECT_EQ(shape("aishell"), &kAishell);
  EXPECT_THAT(look_into(folder_.file("aishell")).shards, IsEmpty());
  EXPECT_EQ(shape("libri"), &kLibriSpeech);
  EXPECT_EQ(shape("plain"), &kAudioFolder);
  EXPECT_EQ(shape("nothing"), nullptr);
  folder_.write("kaldi/shards/a.tar", "");
  EXPECT_THAT(look_into(folder_.file("kaldi")).shards, ElementsAre(EndsWith("a.tar")));
}

TEST_F(DetectionTest, FilesByTheirFirstLine) {
  EXPECT_EQ(corpus_of_list(folder_.write("a", "\xEF\xBB\xBF{\"x\":1,\"key\":\"k\",\"wav\":\"w\"}\r\nx")),
            &kWenet);
  EXPECT_EQ(corpus_of_list(folder_.write("b", "\n {\"audio_filepath\":1}")), &kNemo);
  for (const char* other : {"", "{\"key\":1}", "[1]", "{", "a.tar\n", "# x\n", "\xff"}) {
    EXPECT_EQ(corpus_of_list(folder_.write("c", other)), nullptr) << other;
  }
}

TEST_F(DetectionTest, ByTheNamesInAnArchive) {
  EXPECT_EQ(corpus_by_name("LibriSpeech/dev-clean/84/121123/84-121123-0000.flac"), &kLibriSpeech);
  EXPECT_EQ(corpus_by_name("data_aishell/wav/S0002.tar.gz"), &kAishell);
  EXPECT_EQ(corpus_by_name("wav48_silence_trimmed/p225/p225_001_mic1.flac"), &kVctk);
  // Names of samples in shards.
  EXPECT_EQ(corpus_by_name("84-121123-0000.flac"), nullptr);
  EXPECT_EQ(corpus_by_name("BAC009S0002W0122.wav"), nullptr);
  EXPECT_EQ(corpus_by_name("shard/20170001P00001A0001.wav"), nullptr);
}

}  // namespace
}  // namespace shardmill::source
