#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "archive/tar_building.hpp"
#include "base/error.hpp"
#include "pipeline/intake/source_reader.hpp"
#include "source/corpora.hpp"
#include "source/corpora/list.hpp"
#include "support/command_output.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::pipeline {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
using Files = std::vector<std::pair<std::string, std::string>>;

/// LJSpeech in an archive: one text for all audio.
class ArchiveReaderTest : public ::testing::Test {
 protected:
  ArchiveReaderTest() {
    for (unsigned i = 1; i <= 3; ++i)
      audio_.emplace_back("LJ/wavs/LJ001-000" + std::to_string(i) + ".wav", testing::made_wav(500, i));
  }

  /// "key 'text'" of each sample, "lost key" and "damage: message".
  std::vector<std::string> read(const std::string& path, Texts texts = Texts::awaited,
                                const source::TreeOptions& options = {}) {
    source::SourceFile file{.path = path, .bytes = std::filesystem::file_size(path)};
    file.tree = source::archived_tree(source::kLjSpeech, options);
    const auto reader = read_archive(file, texts, nullptr);
    std::vector<std::string> lines;
    std::uint64_t compressed = 0;
    for (bool more = true; more;) {
      const Unit unit = reader->next();
      unit.prepare();
      compressed += unit.compressed_bytes;
      for (SourceItem& item : unit.archive->take()) lines.push_back(line_of(item));
      more = !unit.last;
    }
    EXPECT_EQ(compressed, file.bytes);
    return lines;
  }
  std::string packed(const std::string& name, const Files& files) {
    return folder_.write(name, archive::make_tar(files));
  }
  /// With gzip, texts cannot be read ahead.
  std::string zipped(const Files& files) {
    const std::string path = packed("x.tar", files);
    testing::command_output("gzip -f " + path);
    return path + ".gz";
  }
  Files with_text(const std::string& text, bool first) const {
    Files files = audio_;
    files.insert(first ? files.begin() : files.end(), {"LJ/metadata.csv", text});
    return files;
  }

  testing::TemporaryFolder folder_;
  Files audio_;
  const std::string text_ = "LJ001-0001|a|one\nLJ001-0002|b|two\nLJ001-0003|c|three\n";

 private:
  static std::string line_of(const SourceItem& item) {
    if (const auto* damage = std::get_if<Damage>(&item))
      return std::string("damage: ") + damage->error.what();
    if (const auto* lost = std::get_if<manifest::Reject>(&item)) return "lost " + *lost->key;
    const auto* sample = std::get_if<shard::GroupedSample>(&item);
    if (sample == nullptr) return "something else";
    std::string line = sample->sample.key;
    for (const Member& member : sample->sample.members) {
      if (member.extension == "txt")
        line +=
            " '" + std::string(reinterpret_cast<const char*>(member.bytes.data()), member.bytes.size()) + "'";
    }
    return line;
  }
};

TEST_F(ArchiveReaderTest, TheTextMayStandAnywhere) {
  const auto expected = UnorderedElementsAre("LJ001-0001 'one'", "LJ001-0002 'two'", "LJ001-0003 'three'");
  for (const bool first : {true, false}) {
    EXPECT_THAT(read(packed("x.tar", with_text(text_, first))), expected) << first;
    EXPECT_THAT(read(zipped(with_text(text_, first))), expected) << first;
  }
}

TEST_F(ArchiveReaderTest, HiddenFilesAreNeitherTextNorAudio) {
  Files files = with_text(text_, false);
  files.emplace_back("LJ/._metadata.csv", std::string("\0\x05\x16\x07", 4));
  files.emplace_back("LJ/wavs/._LJ001-0001.wav", std::string("\0\x05\x16\x07", 4));
  EXPECT_EQ(read(packed("x.tar", files)).size(), 3u);
  EXPECT_EQ(read(zipped(files)).size(), 3u);
}

TEST_F(ArchiveReaderTest, AudioWithoutTextAndTextWithoutAudio) {
  const std::string other = "LJ001-0001|a|one\nLJ001-0009|c|nine\n";
  const auto lines = read(zipped(with_text(other, false)));
  EXPECT_THAT(lines, UnorderedElementsAre("LJ001-0001 'one'", "LJ001-0002", "LJ001-0003", "lost LJ001-0009"));
  // Who only looks waits for no text, and misses nothing.
  EXPECT_THAT(read(zipped(with_text(other, false)), Texts::left_out),
              UnorderedElementsAre("LJ001-0001", "LJ001-0002", "LJ001-0003"));
}

TEST_F(ArchiveReaderTest, AnArchiveThatIsCutGivesWhatIsThereAndSaysSo) {
  const std::string path = zipped(with_text(text_, true));
  const std::string content = testing::command_output("cat " + path);
  const auto lines = read(folder_.write("cut.tar.gz", content.substr(0, content.size() * 2 / 3)));
  EXPECT_THAT(lines, Contains("LJ001-0001 'one'"));
  EXPECT_THAT(lines, Contains(HasSubstr("damage: ")));
  EXPECT_THAT(lines, ::testing::Not(Contains("LJ001-0003 'three'")));
}

TEST_F(ArchiveReaderTest, ATextThatMakesNoSenseEndsTheRun) {
  EXPECT_THROW(read(zipped(with_text("no table\n", false))), Error);
  EXPECT_THROW(read(packed("x.tar", with_text("no table\n", false))), Error);
}

}  // namespace
}  // namespace shardmill::pipeline
