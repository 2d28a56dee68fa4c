#include "source/detection.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
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
    EXPECT_TRUE(!corpus->is_read() || corpus->is_tree() == !corpus->in_archive.empty()) << corpus->name;
    EXPECT_EQ(corpus->is_tree(), corpus->is_read() && !corpus->texts.empty()) << corpus->name;
  }
}

TEST_F(DetectionTest, ExtensionsInAnyCase) {
  folder_.write("yodas/data/en000/text/00000000.txt", "");
  folder_.write("yodas/data/en000/audio/00000000/v-00000-00000000-00000100.WAV", "");
  EXPECT_EQ(shape("yodas"), &kYodas);
  folder_.write("kspon/train.trn", "");
  folder_.write("kspon/KsponSpeech_01/KsponSpeech_000001.PCM", "");
  EXPECT_EQ(shape("kspon"), &kKsponSpeech);
  EXPECT_TRUE(matches("*/a.wav", "x/a.Wav"));
  EXPECT_FALSE(matches("*/a.wav", "x/A.WAV"));
  EXPECT_FALSE(matches("*/a.txt", "x/a.TXT"));
  EXPECT_TRUE(matches("*/a.WAV", "x/a.WAV"));
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
namespace {

// The trees of all known corpora are in tests/e2e/texts_test.py.
class FolderGuessTest : public ::testing::Test {
 protected:
  void write(const std::string& path) { folder_.write(path, "x"); }
  FolderGuess guess(const std::string& path) { return guess_folder(folder_.file(path)); }

  shardmill::testing::TemporaryFolder folder_;
};

TEST_F(FolderGuessTest, SaysWhatLiesThere) {
  write("c/a.wav");
  write("c/b.WAV");
  write("c/d/c.wav");
  write("c/notes");
  write("c/texts.xml");
  for (int i = 0; i < 4; ++i) write(fmt::format("c/{}.trn", i));
  const FolderGuess found = guess("c");
  EXPECT_EQ(found.contents, "1 .WAV file, 2 .wav files, notes, 4 .trn files and texts.xml");
  EXPECT_EQ(found.corpus, "");
  EXPECT_EQ(found.missing, "");
}

TEST_F(FolderGuessTest, AnEmptyFolder) {
  write("c/.hidden");
  EXPECT_EQ(guess("c").contents, "");
  EXPECT_EQ(guess("c").corpus, "");
}

TEST_F(FolderGuessTest, ByItsTranscripts) {
  write("c/wavs/anything.wav");
  write("c/metadata.csv");
  EXPECT_EQ(guess("c").corpus, "LJSpeech");
  EXPECT_EQ(guess("c").missing, "");
  EXPECT_TRUE(guess("c").is_read);
}

TEST_F(FolderGuessTest, ByThoseAboveWhatWasGiven) {
  write("c/metadata.csv");
  write("c/wavs/x/anything.wav");
  EXPECT_EQ(guess("c/wavs/x/").corpus, "LJSpeech");
  EXPECT_EQ(guess("c/wavs/x/anything.wav").corpus, "LJSpeech");
}

TEST_F(FolderGuessTest, ByItsAudioAlone) {
  write("c/S0002/BAC009S0002W0122.wav");
  const FolderGuess found = guess("c");
  EXPECT_EQ(found.corpus, "AISHELL-1");
  EXPECT_EQ(found.missing, "transcript/aishell_transcript_v0.8.txt");
  EXPECT_TRUE(found.is_read);
}

TEST_F(FolderGuessTest, ATableOfSomethingElseIsNoCorpus) {
  write("c/audio/anything.wav");
  write("c/metadata.csv");
  write("c/train.tsv");
  EXPECT_EQ(guess("c").corpus, "");
}

TEST_F(FolderGuessTest, WhatIsNotThereIsAnError) {
  EXPECT_THROW(guess("nowhere/at/all"), Error);
}

}  // namespace
}  // namespace shardmill::source
