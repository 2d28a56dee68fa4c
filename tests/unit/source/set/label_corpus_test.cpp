#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "source/set/labelled_sources.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::source {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LabelCorpusTest : public ::testing::Test {
 protected:
  void labels(const std::string& rows) {
    table_ = std::make_shared<LabelTable>(std::vector{folder_.write("l.csv", "path,start,end,text\n" + rows)},
                                          std::string_view());
  }
  LabelCorpus corpus(const std::vector<std::string>& audio = {}, std::vector<std::string> folders = {}) {
    return LabelCorpus(table_, {}, table_->choices_among(audio, {}), std::move(folders));
  }
  /// "key 'text'", or why it has none.
  static std::vector<std::string> found(LabelCorpus& corpus, const std::string& audio) {
    std::vector<std::string> lines;
    const std::vector<TreeUtterance> utterances = corpus.find(audio).value();
    for (const TreeUtterance& each : utterances)
      lines.push_back(each.is_unlisted ? each.lacks
                                       : fmt::format("{} '{}'", each.key, each.text.value_or("-")));
    return lines;
  }
  static std::vector<std::string> rest(const LabelCorpus& corpus) {
    std::vector<std::string> lines;
    corpus.report_rest(
        [&](const LostAudio& one) { lines.push_back(fmt::format("{}: {}", one.key, one.error.what())); });
    return lines;
  }

  testing::TemporaryFolder folder_;
  std::shared_ptr<LabelTable> table_;
};

TEST_F(LabelCorpusTest, RowsOfAFileAndOfNone) {
  labels("x/a.wav,0,1,one\nx/a.wav,1,2,two\nx/b.wav,0,1,three\n");
  LabelCorpus all = corpus();
  EXPECT_THAT(found(all, "x/a.flac"), ElementsAre("a-0000000-0001000 'one'", "a-0001000-0002000 'two'"));
  EXPECT_THAT(found(all, "x/c.wav"), ElementsAre(HasSubstr("no row of")));
  EXPECT_THAT(rest(all), ElementsAre(HasSubstr("line 4: there is no audio 'x/b.wav'")));
  EXPECT_EQ(all.role("x/a.flac"), TreeCorpus::Role::audio);
  EXPECT_EQ(all.role("x/a.txt"), TreeCorpus::Role::other);
}

TEST_F(LabelCorpusTest, BadRowsAreLeftToTheTable) {
  labels("a.wav,0,1,one\na.wav,2,1,two\n");
  LabelCorpus all = corpus();
  EXPECT_THAT(found(all, "a.wav"), ElementsAre("a-0000000-0001000 'one'"));
  EXPECT_THAT(rest(all), IsEmpty());
}

TEST_F(LabelCorpusTest, SeveralFilesForARow) {
  labels("a.wav,0,1,one\nb,0,1,two\n");
  LabelCorpus all = corpus({"x/a.wav", "x/a.mp3", "x/b.wav", "x/b.mp3"});
  EXPECT_THAT(found(all, "x/a.wav"), ElementsAre(HasSubstr("'one'")));
  EXPECT_THAT(found(all, "x/a.mp3"), ElementsAre(HasSubstr("the very name in the row")));
  EXPECT_THAT(found(all, "x/b.wav"), ElementsAre(HasSubstr("fits several files, 'x/b.")));
  EXPECT_THAT(rest(all), IsEmpty());
}

TEST_F(LabelCorpusTest, FoldersInFrontSayNothing) {
  labels("y/a.wav,0,1,one\n");
  LabelCorpus all = corpus({}, {"/data/y/"});
  EXPECT_THAT(found(all, "/data/y/a.wav"), ElementsAre("a-0000000-0001000 'one'"));
}

}  // namespace
}  // namespace shardmill::source
