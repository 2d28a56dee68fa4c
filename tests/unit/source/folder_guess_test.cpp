#include "source/folder_guess.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::source {
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
