#include "shardmill/source/audio_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "corpus_lines.hpp"
#include "shardmill/source/corpora.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::source {
namespace {

using shardmill::testing::lines_of;
using shardmill::testing::problem_of_corpus;
using shardmill::testing::TemporaryFolder;
using shardmill::testing::unusable_lines;
using shardmill::testing::warnings_of;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class AudioFolderTest : public ::testing::Test {
 protected:
  CorpusFiles read(const std::string& folder = "d") const {
    return read_corpus(CorpusKind::audio_folder, folder_.file(folder), {});
  }

  TemporaryFolder folder_;
};

TEST_F(AudioFolderTest, KeysArePathsAndTextsAreThoseOfTheSameName) {
  folder_.write("d/b.wav", "x");
  folder_.write("d/b.txt", " 你好 \r\n\n two lines\n");
  folder_.write("d/s/a.1.FLAC", "x");
  folder_.write("d/s/a.1.TXT", "");
  folder_.write("d/s/a.mp3", "x");
  folder_.write("d/README.txt", "about");
  folder_.write("d/.hidden.wav", "x");
  folder_.write("d/cover.png", "x");
  const CorpusFiles files = read();
  EXPECT_THAT(lines_of(files, folder_),
              ElementsAre("d/b.wav b '你好\ntwo lines'", "d/s/a.1.FLAC s/a.1 ''", "d/s/a.mp3 s/a"));
  EXPECT_THAT(warnings_of(files), ElementsAre(folder_.file("d/s/a.mp3") + ": 's/a' has no transcript"));
  EXPECT_THAT(files.unusable, IsEmpty());
  EXPECT_EQ(files.descriptions.size(), 2u);
  EXPECT_EQ(lines_of(read("d/"), folder_).front(), "d/b.wav b '你好\ntwo lines'");
}

TEST_F(AudioFolderTest, ATranscriptWithoutAudioIsNamed) {
  folder_.write("d/a.wav", "x");
  folder_.write("d/a.txt", "x");
  folder_.write("d/s/b.txt", "x");
  EXPECT_THAT(unusable_lines(read()), ElementsAre("audio s/b: " + folder_.file("d/s/b.txt") +
                                                  ": is a transcript, but there is no audio of that name"));
}

TEST_F(AudioFolderTest, TwoFormatsShareTheTranscript) {
  folder_.write("d/a.wav", "x");
  folder_.write("d/a.flac", "x");
  folder_.write("d/a.txt", "x");
  EXPECT_THAT(lines_of(read(), folder_), ElementsAre("d/a.flac a 'x'", "d/a.wav a 'x'"));
}

}  // namespace
}  // namespace shardmill::source
