#include <filesystem>
#include <string>

#include "source/corpus_test.hpp"

namespace shardmill::source {
namespace {

class AudioFolderTest : public CorpusTest {
 protected:
  CorpusFiles read(const std::string& folder = "d") const { return read_as(kAudioFolder, folder); }
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
  EXPECT_THAT(files.unusable, IsEmpty());
  EXPECT_EQ(files.descriptions.size(), 2u);
  EXPECT_EQ(lines_of(read("d/"), folder_).front(), "d/b.wav b '你好\ntwo lines'");
}

TEST_F(AudioFolderTest, ATranscriptWithoutAudioIsNamed) {
  folder_.write("d/a.wav", "x");
  folder_.write("d/a.txt", "x");
  folder_.write("d/s/b.txt", "x");
  EXPECT_THAT(unusable_lines(read()), ElementsAre("audio s/b: " + folder_.file("d/s/b.txt") +
                                                  ": is a transcript, but no audio has that name"));
}

TEST_F(AudioFolderTest, LibriTts) {
  folder_.write("d/8/1/8_1_0.wav", "x");
  folder_.write("d/8/1/8_1_0.normalized.txt", "four");
  folder_.write("d/8/1/8_1_0.original.txt", "4");
  folder_.write("d/8/1/8_1.trans.tsv", "8_1_0\t4\tfour\n");
  folder_.write("d/8/1/8_1_1.original.txt", "5");
  folder_.write("d/z.normalized.wav", "x");
  folder_.write("d/z.normalized.txt", "Z");
  const CorpusFiles files = read();
  EXPECT_THAT(lines_of(files, folder_),
              ElementsAre("d/z.normalized.wav z.normalized 'Z'", "d/8/1/8_1_0.wav 8/1/8_1_0 'four'"));
  EXPECT_THAT(unusable_lines(files), ElementsAre(HasSubstr("8_1_1.original.txt: is a transcript, but")));
}

TEST_F(AudioFolderTest, TwoFormatsShareTheTranscript) {
  folder_.write("d/a.wav", "x");
  folder_.write("d/a.flac", "x");
  folder_.write("d/a.txt", "x");
  EXPECT_THAT(lines_of(read(), folder_), ElementsAre("d/a.flac a 'x'", "d/a.wav a 'x'"));
}

}  // namespace
}  // namespace shardmill::source
