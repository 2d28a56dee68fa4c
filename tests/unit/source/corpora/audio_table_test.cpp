#include <filesystem>
#include <string>

#include "source/corpus_test.hpp"

namespace shardmill::source {
namespace {

class AudioTableTest : public CorpusTest {
 protected:
  CorpusFiles read(const std::string& name) { return read_as(kAudioTable, name); }
};

TEST_F(AudioTableTest, PathsBeginWhereTheFirstFileIsFound) {
  folder_.write("t/list.csv", "path,sentence,start,end\na,one,,\nb.wav,two,0.5,2\nb.wav,three,3,4\n");
  folder_.write("t/wavs/a.wav", "x");
  folder_.write("t/wavs/b.wav", "x");
  const CorpusFiles files = read("t/list.csv");
  EXPECT_THAT(lines_of(files, folder_),
              ElementsAre("t/wavs/a.wav a 'one'", "t/wavs/b.wav b-0000500-0002000 [0.5 2] 'two'",
                          "t/wavs/b.wav b-0003000-0004000 [3 4] 'three'"));
}

TEST_F(AudioTableTest, WhatIsWhereTheTableSaysComesFirst) {
  folder_.write("t/list.csv", "path,sentence\nwavs/a.wav,one\nwavs/b.wav,two\n");
  folder_.write("t/noisy/wavs/a.wav", "x");
  folder_.write("t/noisy/wavs/b.wav", "x");
  EXPECT_THAT(warnings_of(read("t/list.csv")), ElementsAre(HasSubstr("names 'wavs/a.wav'")));
  folder_.write("t/clean/wavs/b.wav", "x");
  EXPECT_THAT(problem_as(kAudioTable, "t/list.csv"), HasSubstr("more than one folder may be meant"));
  folder_.write("t/wavs/b.wav", "x");
  const CorpusFiles files = read("t/list.csv");
  EXPECT_THAT(lines_of(files, folder_), ElementsAre("t/wavs/b.wav wavs/b 'two'"));
  EXPECT_THAT(unusable_lines(files), ElementsAre(HasSubstr("line 2")));
}

TEST_F(AudioTableTest, RowsThatCannotBeTaken) {
  folder_.write("t/a.wav", "x");
  folder_.write("t/list.csv", "path,text,start,end\na.wav,one,0,1\na.wav,two,2,1\nmissing.wav,three,0,1\n");
  const CorpusFiles files = read("t/list.csv");
  EXPECT_EQ(lines_of(files, folder_).size(), 1U);
  EXPECT_THAT(unusable_lines(files),
              ElementsAre(HasSubstr("line 3: begins at 2 s and ends at 1 s"), HasSubstr("line 4")));
  folder_.write("t/empty.csv", "path,text\n");
  EXPECT_THAT(problem_as(kAudioTable, "t/empty.csv"), HasSubstr("is a table without rows"));
}

TEST_F(AudioTableTest, WithoutAHeader) {
  folder_.write("t/a.wav", "x");
  folder_.write("t/list.tsv", "a.wav\tone word\n");
  const CorpusFiles files = read("t/list.tsv");
  EXPECT_THAT(lines_of(files, folder_), ElementsAre("t/a.wav a 'one word'"));
  EXPECT_THAT(warnings_of(files), ElementsAre(HasSubstr("has no header")));
}

}  // namespace
}  // namespace shardmill::source
