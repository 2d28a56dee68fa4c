#include "source/folders/known_corpora.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::source {
namespace {

// The trees of all known corpora are in tests/e2e/texts_test.py.
class KnownCorporaTest : public ::testing::Test {
 protected:
  void write(const std::string& path) { folder_.write(path, "x"); }
  FolderGuess guess(const std::string& path) { return guess_folder(folder_.file(path)); }

  shardmill::testing::TemporaryFolder folder_;
};

TEST_F(KnownCorporaTest, SaysWhatLiesThere) {
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

TEST_F(KnownCorporaTest, AnEmptyFolder) {
  write("c/.hidden");
  EXPECT_EQ(guess("c").contents, "");
  EXPECT_EQ(guess("c").corpus, "");
}

TEST_F(KnownCorporaTest, ByItsTranscripts) {
  write("c/wavs/anything.wav");
  write("c/metadata.csv");
  EXPECT_EQ(guess("c").corpus, "LJSpeech");
  EXPECT_EQ(guess("c").missing, "");
  EXPECT_TRUE(guess("c").is_read);
}

TEST_F(KnownCorporaTest, ByThoseAboveWhatWasGiven) {
  write("c/metadata.csv");
  write("c/wavs/x/anything.wav");
  EXPECT_EQ(guess("c/wavs/x/").corpus, "LJSpeech");
  EXPECT_EQ(guess("c/wavs/x/anything.wav").corpus, "LJSpeech");
}

TEST_F(KnownCorporaTest, ByItsAudioAlone) {
  write("c/S0002/BAC009S0002W0122.wav");
  const FolderGuess found = guess("c");
  EXPECT_EQ(found.corpus, "AISHELL-1");
  EXPECT_EQ(found.missing, "transcript/aishell_transcript_v0.8.txt");
  EXPECT_TRUE(found.is_read);
}

TEST_F(KnownCorporaTest, ATableOfSomethingElseIsNoCorpus) {
  write("c/audio/anything.wav");
  write("c/metadata.csv");
  write("c/train.tsv");
  EXPECT_EQ(guess("c").corpus, "");
}

TEST_F(KnownCorporaTest, ByTheNamesInAnArchive) {
  EXPECT_EQ(corpus_by_name("LibriSpeech/dev-clean/84/121123/84-121123-0000.flac"), CorpusKind::librispeech);
  EXPECT_EQ(corpus_by_name("data_aishell/wav/S0002.tar.gz"), CorpusKind::aishell);
  EXPECT_EQ(corpus_by_name("wav48_silence_trimmed/p225/p225_001_mic1.flac"), CorpusKind::vctk);
  // Names of samples in shards.
  EXPECT_EQ(corpus_by_name("84-121123-0000.flac"), std::nullopt);
  EXPECT_EQ(corpus_by_name("BAC009S0002W0122.wav"), std::nullopt);
  EXPECT_EQ(corpus_by_name("shard/20170001P00001A0001.wav"), std::nullopt);
}

TEST_F(KnownCorporaTest, WhatIsNotThereIsAnError) {
  EXPECT_THROW(guess("nowhere/at/all"), Error);
}

}  // namespace
}  // namespace shardmill::source
