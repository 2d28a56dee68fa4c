#include <filesystem>
#include <string>

#include "source/corpus_test.hpp"

namespace shardmill::source {
namespace {

class WenetListTest : public CorpusTest {
 protected:
  std::string write(const std::string& content) { return folder_.write("data.list", content); }
  CorpusFiles read(const std::string& content) { return read_corpus(kWenet, write(content), {}); }
  std::string problem(const std::string& content) { return problem_of_corpus(kWenet, write(content)); }
};

TEST_F(WenetListTest, LinesWithAndWithoutSegments) {
  const std::string a = folder_.write("a.wav", "a");
  folder_.write("b.wav", "b");
  const CorpusFiles files =
      read(R"({"key": "u1", "wav": ")" + a + R"(", "txt": "你好", "start": 1.5, "end": 4})" + "\r\n\n" +
           R"({"key":"u0","wav":"b.wav","txt":"x","lang":"zh","n":[1,{"a":null}],"duration":2})" + "\n" +
           R"({"key":"u2","wav":")" + a + R"(","start":0.5,"txt":null})");
  EXPECT_THAT(lines_of(files, folder_),
              ElementsAre("a.wav u2 [0.5 inf]", "a.wav u1 [1.5 4] '你好'",
                          R"(b.wav u0 'x' {"lang":"zh","n":[1,{"a":null}],"source_duration":2})"));
  EXPECT_EQ(files.audio[0].utterances[1].seconds, 2.5);
}

TEST_F(WenetListTest, BadLinesAreNamed) {
  folder_.write("a.wav", "a");
  const std::string good = R"({"key":"u","wav":"a.wav"})";
  EXPECT_THAT(problem(good + "\n{\"key\":"), HasSubstr("data.list: line 2: is not valid JSON"));
  EXPECT_THAT(problem(good + "\n[]"), HasSubstr("line 2: is not a JSON object"));
  EXPECT_THAT(problem(R"({"wav":"a.wav"})"), HasSubstr("line 1: 'key' is missing"));
  EXPECT_THAT(problem(R"({"key":"u"})"), HasSubstr("line 1: 'wav' is missing"));
  EXPECT_THAT(problem(R"({"key":"u","wav":"a.wav","start":"1"})"),
              HasSubstr("line 1: 'start' is not a number"));
  EXPECT_THAT(problem(R"({"key":"u","wav":"a\u0000.wav"})"), HasSubstr("line 1: 'a\\x00.wav' is no path"));
  EXPECT_THAT(problem(good + "\n{\"key\":\"\xB5\"}"),
              HasSubstr("line 2: column 9: is not UTF-8 (byte 0xB5)"));
  EXPECT_THAT(problem("\n"), HasSubstr("holds no audio"));
}

TEST_F(WenetListTest, MissingAudioAndImpossibleSegmentsAreNamed) {
  folder_.write("a.wav", "a");
  const CorpusFiles files = read(R"({"key":"u1","wav":"gone.wav"})"
                                 "\n"
                                 R"({"key":"u2","wav":"a.wav","start":2,"end":2})"
                                 "\n");
  EXPECT_THAT(unusable_lines(files), ElementsAre("audio u1: gone.wav: No such file or directory (named in " +
                                                     folder_.file("data.list") + ": line 1)",
                                                 HasSubstr("segment u2: ")));
}

}  // namespace
}  // namespace shardmill::source
