#include <filesystem>
#include <string>

#include "source/corpus_test.hpp"

namespace shardmill::source {
namespace {

class LibrispeechTest : public CorpusTest {
 protected:
  LibrispeechTest() {
    folder_.write("L/SPEAKERS.TXT",
                  ";ID |SEX| SUBSET |MINUTES| NAME\n1  | F | dev | 8.0 | A B\n2 | M | test | 8 | |C|\xE9\n");
    chapter("L/dev/1/10/1-10");
    chapter("L/dev/1/9/1-9");
    chapter("L/test/2/7/2-7");
  }

  void chapter(const std::string& start) const {
    folder_.write(start + ".trans.txt", start.substr(start.rfind('/') + 1) + "-0000 ONE TWO\n" +
                                            start.substr(start.rfind('/') + 1) + "-0001 THREE\n");
    folder_.write(start + "-0000.flac", "x");
    folder_.write(start + "-0001.flac", "xy");
  }
  CorpusFiles read(const std::string& folder) const { return read_as(kLibriSpeech, folder); }
};

TEST_F(LibrispeechTest, AWholeTree) {
  const CorpusFiles files = read("L");
  const std::string f1 = R"("speaker":"1","chapter":"10","gender":"F","subset":"dev")";
  const std::string f2 = R"("speaker":"1","chapter":"9","gender":"F","subset":"dev")";
  const std::string f3 = R"("speaker":"2","chapter":"7","gender":"M","subset":"test")";
  EXPECT_THAT(lines_of(files, folder_),
              ElementsAre("L/dev/1/10/1-10-0000.flac 1-10-0000 'ONE TWO' {" + f1 + "}",
                          "L/dev/1/10/1-10-0001.flac 1-10-0001 'THREE' {" + f1 + "}",
                          "L/dev/1/9/1-9-0000.flac 1-9-0000 'ONE TWO' {" + f2 + "}",
                          "L/dev/1/9/1-9-0001.flac 1-9-0001 'THREE' {" + f2 + "}",
                          "L/test/2/7/2-7-0000.flac 2-7-0000 'ONE TWO' {" + f3 + "}",
                          "L/test/2/7/2-7-0001.flac 2-7-0001 'THREE' {" + f3 + "}"));
  EXPECT_EQ(files.descriptions.size(), 4u);
  EXPECT_THAT(files.unusable, IsEmpty());
  EXPECT_THAT(files.warnings, IsEmpty());
}

TEST_F(LibrispeechTest, PartsOfItAreReadAlike) {
  const auto whole = lines_of(read("L"), folder_);
  EXPECT_EQ(lines_of(read("L/test"), folder_), (std::vector(whole.begin() + 4, whole.end())));
  EXPECT_EQ(lines_of(read("L/dev/1"), folder_), (std::vector(whole.begin(), whole.begin() + 4)));
  EXPECT_EQ(lines_of(read("L/dev/1/9"), folder_), (std::vector(whole.begin() + 2, whole.begin() + 4)));
}

TEST_F(LibrispeechTest, TheFolderAboveItKnowsTheSpeakersToo) {
  folder_.write("T/LibriSpeech/SPEAKERS.TXT", "1 | F | dev | 8.0 | A B\n");
  folder_.write("T/LibriSpeech/dev/1/9/1-9.trans.txt", "1-9-0000 ONE\n");
  folder_.write("T/LibriSpeech/dev/1/9/1-9-0000.flac", "x");
  EXPECT_THAT(lines_of(read("T"), folder_), ElementsAre(HasSubstr(R"("gender":"F")")));
}

TEST_F(LibrispeechTest, HalfOfItIsMissing) {
  std::filesystem::remove(folder_.file("L/dev/1/10/1-10-0000.flac"));
  std::filesystem::remove(folder_.file("L/dev/1/10/1-10-0001.flac"));
  std::filesystem::remove(folder_.file("L/dev/1/9/1-9.trans.txt"));
  const CorpusFiles files = read("L/dev");
  EXPECT_THAT(unusable_lines(files),
              ElementsAre("audio 1-10-0000: " + folder_.file("L/dev/1/10/1-10.trans.txt") +
                              ": line 1: '1-10-0000' has a transcript, but there is no such audio",
                          HasSubstr("line 2: '1-10-0001' has a transcript")));
  EXPECT_EQ(lines_of(files, folder_).size(), 2u);
}

TEST_F(LibrispeechTest, NoAudioAtAll) {
  std::filesystem::create_directory(folder_.file("empty"));
  EXPECT_THAT(problem_as(kLibriSpeech, "empty"), HasSubstr("holds no audio"));
  EXPECT_THAT(problem_as(kLibriSpeech, "none"),
              HasSubstr("cannot find this source: No such file or directory"));
  EXPECT_THAT(problem_of_corpus(kLibriSpeech, folder_.file("L/SPEAKERS.TXT")),
              HasSubstr("is a file, but 'librispeech:' takes a folder"));
}

}  // namespace
}  // namespace shardmill::source
