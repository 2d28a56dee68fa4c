#include "source/labels/label_table.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace shardmill::source {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class LabelTableTest : public ::testing::Test {
 protected:
  /// A whole recording for each path, with the path as its text.
  LabelTable table(const std::vector<std::string>& paths) {
    std::string text;
    for (const std::string& path : paths)
      text += fmt::format("{{\"audio_filepath\": \"{}\", \"text\": \"{}\"}}\n", path, path);
    return LabelTable({folder_.write("l.jsonl", text)}, {});
  }
  /// The text of what is found; "-": nothing, "?": several.
  static std::string found(const LabelTable& table, const std::string& path, const AudioRoots& roots = {}) {
    const auto found = table.find(path, roots);
    if (!found.recording) return found.problem.empty() ? "-" : "?";
    return *table.rows_of(*found.recording).front().text;
  }

  testing::TemporaryFolder folder_;
};

TEST_F(LabelTableTest, OneNameIsTheWholeEndOfTheOther) {
  const LabelTable labels = table({"/data/en/a.wav", "b.flac", "x/c"});
  EXPECT_EQ(found(labels, "en/a.wav"), "/data/en/a.wav");
  EXPECT_EQ(found(labels, "a.flac"), "/data/en/a.wav");
  EXPECT_EQ(found(labels, "any/where/b.wav"), "b.flac");
  EXPECT_EQ(found(labels, "x/c.ogg"), "x/c");
  EXPECT_EQ(found(labels, "de/a.wav"), "-");  // of another folder
  EXPECT_EQ(found(labels, "y/c.wav"), "-");
  EXPECT_EQ(found(labels, "d.wav"), "-");
  EXPECT_EQ(found(labels, "aa.wav"), "-");
}

TEST_F(LabelTableTest, TheLongestEndDecides) {
  const LabelTable labels = table({"a/1.wav", "b/1.wav", "c/b/1.wav", "2.wav", "a/2.wav"});
  EXPECT_EQ(found(labels, "a/1.wav"), "a/1.wav");
  EXPECT_EQ(found(labels, "x/a/1.wav"), "a/1.wav");
  EXPECT_EQ(found(labels, "c/b/1.wav"), "c/b/1.wav");
  EXPECT_EQ(found(labels, "x/b/1.wav"), "b/1.wav");
  EXPECT_EQ(found(labels, "1.wav"), "?");
  EXPECT_EQ(found(labels, "x/1.wav"), "-");
  EXPECT_EQ(found(labels, "x/2.wav"), "2.wav");
  EXPECT_EQ(found(labels, "2.wav"), "2.wav");
  EXPECT_EQ(found(labels, "a/2.wav"), "a/2.wav");
}

TEST_F(LabelTableTest, PartsOfAPathThatLeadNowhereAreNone) {
  const LabelTable labels = table({"c//a.wav", "a.wav", "d/././/b.wav", "./e//./f.wav"});
  EXPECT_EQ(found(labels, "c/a.wav"), "c//a.wav");
  EXPECT_EQ(found(labels, "a.wav"), "a.wav");
  EXPECT_EQ(found(labels, "d/b.wav"), "d/././/b.wav");
  EXPECT_EQ(found(labels, "e/f.wav"), "./e//./f.wav");
}

TEST_F(LabelTableTest, RootsAreLearned) {
  const LabelTable labels = table({"/data/en/1.wav", "/data/en/2.wav", "/data/de/1.wav", "/data/de/3.wav"});
  const std::vector<std::string> files{"raw/en/1.wav", "raw/en/2.wav", "raw/de/1.wav", "raw/de/9.wav"};
  const AudioRoots roots = labels.learn_roots(files);
  EXPECT_EQ(found(labels, "raw/de/1.wav"), "-");
  EXPECT_EQ(found(labels, "raw/de/1.wav", roots), "/data/de/1.wav");
  EXPECT_EQ(found(labels, "raw/de/3.wav", roots), "/data/de/3.wav");
}

TEST_F(LabelTableTest, NoRootsWhereNamesFitAsTheyAre) {
  const LabelTable labels = table({"train/1.wav", "train/2.wav"});
  const AudioRoots roots = labels.learn_roots({"test/1.wav", "test/2.wav", "train/1.wav"});
  EXPECT_THAT(roots.in_labels, IsEmpty());
  EXPECT_THAT(roots.of_files, IsEmpty());
  EXPECT_EQ(found(labels, "test/2.wav", roots), "-");
}

TEST_F(LabelTableTest, AFolderMayStandForAnother) {
  const LabelTable labels = table({"B/w/1.wav", "B/w/2.wav"});
  const AudioRoots roots = labels.learn_roots({"A/w/1.wav", "A/w/2.wav"});
  EXPECT_EQ(found(labels, "A/w/2.wav", roots), "B/w/2.wav");
  EXPECT_EQ(roots.doubt,
            "the folders of its audio have other names here: 'B/w/1.wav' of the labels is taken for "
            "'A/w/1.wav', and 1 more of the files that were looked at are taken so");
}

TEST_F(LabelTableTest, NamesAloneNeedOneFolderForAnother) {
  const LabelTable labels = table({"x/1.wav", "x/2.wav"});
  const AudioRoots one = labels.learn_roots({"y/1.wav", "y/2.wav"});
  EXPECT_EQ(found(labels, "y/1.wav", one), "x/1.wav");
  EXPECT_EQ(found(labels, "z/1.wav", one), "-");
  const AudioRoots several = labels.learn_roots({"y/1.wav", "z/2.wav"});
  EXPECT_EQ(found(labels, "y/1.wav", several), "?");
  EXPECT_EQ(several.doubt, "");
}

/// Compared with the rule by which each pair of names is looked at.
TEST_F(LabelTableTest, RandomNames) {
  std::uint64_t state = 1;
  const auto random = [&](std::uint64_t below) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state >> 33U) % below;
  };
  const auto name = [&] {
    std::string path;
    for (std::uint64_t parts = 1 + random(3); parts > 0; --parts)
      path += fmt::format("{}{}", path.empty() ? "" : "/", "abc"[random(3)]);
    return path;
  };
  const auto is_end = [](const std::string& end, const std::string& whole) {
    return whole == end || whole.ends_with("/" + end);
  };
  for (int round = 0; round < 200; ++round) {
    std::set<std::string> names;
    for (std::uint64_t count = 1 + random(8); count > 0; --count) names.insert(name());
    const LabelTable labels = table({names.begin(), names.end()});
    ASSERT_EQ(labels.recordings(), names.size());
    for (int each = 0; each < 20; ++each) {
      const std::string path = name();
      std::vector<std::string> shorter;
      std::vector<std::string> longer;
      for (const std::string& one : names) {
        if (is_end(one, path)) shorter.push_back(one);
        if (is_end(path, one)) longer.push_back(one);
      }
      std::string expected = "-";
      if (names.contains(path)) {
        expected = path;
      } else if (!longer.empty()) {
        expected = longer.size() == 1 ? longer.front() : "?";
      } else if (!shorter.empty()) {
        expected = *std::max_element(shorter.begin(), shorter.end(),
                                     [](const auto& a, const auto& b) { return a.size() < b.size(); });
      }
      const std::string got = found(labels, path);
      // A shorter name counts only if no other label has more of the path in common.
      if (got != expected && !(got == "-" && longer.empty() && !shorter.empty())) {
        ADD_FAILURE() << path << ": " << got << " and not " << expected << " in round " << round;
      }
    }
  }
}

TEST_F(LabelTableTest, RowsOfARecordingKeepTheirOrder) {
  const std::string first = folder_.write("1.jsonl",
                                          "{\"audio\": \"/x/a.wav\", \"offset\": 1, \"duration\": 2}\n"
                                          "{\"audio\": \"/x/b.wav\", \"id\": \"b1\"}\n"
                                          "{\"audio\": \"/x/a.wav\", \"offset\": 0.5, \"duration\": 0.25}\n");
  const std::string second =
      folder_.write("2.csv", "file,start,end,sentence\n/y/a.wav,3,4,three\n/x/a.wav,5,6,five\n");
  const LabelTable labels({first, second}, {});
  EXPECT_EQ(labels.rows(), 5U);
  EXPECT_EQ(labels.recordings(), 3U);
  std::vector<std::string> keys;
  const auto found = labels.find("x/a.wav", {});
  for (const LabelRow& row : labels.rows_of(*found.recording)) keys.push_back(labels.key_of(row));
  EXPECT_THAT(keys, ElementsAre("a-0001000-0003000", "a-0000500-0000750", "x/a-0005000-0006000"));
  const LabelRow b = labels.rows_of(*labels.find("b.wav", {}).recording).front();
  EXPECT_EQ(labels.key_of(b), "b1");
  EXPECT_TRUE(b.is_whole());
  EXPECT_EQ(labels.place_of(b), first + ": line 2");
}

TEST_F(LabelTableTest, ABadRowWithoutAKeyHasItsPlaceAsItsName) {
  const std::string path =
      folder_.write("l.csv", "path,start,end,text\na.wav,0,1,x\n/,wrong,2,y\nc.wav,wrong,2,z\n");
  const LabelTable labels({path}, {});
  std::vector<std::string> keys;
  labels.report_bad([&](const LostAudio& lost) { keys.emplace_back(lost.key); });
  EXPECT_THAT(keys, ElementsAre(path + ": line 3", ::testing::StartsWith("c")));
}

TEST_F(LabelTableTest, ABadRowMayLieInAnotherFolderThanAllOthers) {
  const LabelTable labels(
      {folder_.write("l.csv", "path,start,end,text\nlong/folder/a.wav,0,1,x\nc.wav,wrong,2,z\n")}, {});
  std::vector<std::string> keys;
  labels.report_bad([&](const LostAudio& lost) { keys.emplace_back(lost.key); });
  EXPECT_THAT(keys, ElementsAre(::testing::StartsWith("c")));
}

/// A meeting with a file for each of two channels; the first supervision is of a third, which has none.
TEST_F(LabelTableTest, TheFirstGoodSupervisionOfACutNamesTheAudio) {
  const std::string path = folder_.write(
      "c.jsonl",
      R"({"id":"c","start":0,"duration":9,"channel":[0,1],"type":"MultiCut","recording":{"id":"m","sources":)"
      R"([{"type":"file","channels":[0],"source":"m0.wav"},{"type":"file","channels":[1],"source":"m1.wav"}],)"
      R"("sampling_rate":8000,"duration":9},"supervisions":[{"id":"s0","start":0,"duration":1,"channel":2},)"
      R"({"id":"s1","start":1,"duration":2,"channel":1,"text":"one"},{"id":"s2","start":3,"duration":1,)"
      R"("channel":0},{"id":"s3","start":5,"duration":2,"channel":1,"text":"three"},{"id":"s4","start":7}]})"
      "\n");
  const LabelTable labels({path}, {});
  std::vector<std::string> bad;
  labels.report_bad(
      [&](const LostAudio& lost) { bad.push_back(fmt::format("{}: {}", lost.key, lost.error.problem())); });
  EXPECT_THAT(bad,
              ElementsAre("s0: is of channel 2, which no file of its recording has",
                          ::testing::StartsWith("s2: is in another file"), ::testing::HasSubstr("duration")));
  EXPECT_EQ(labels.rows(), 5U);
  EXPECT_EQ(found(labels, "m0.wav"), "-");
  const auto recording = labels.find("m1.wav", {}).recording;
  ASSERT_TRUE(recording.has_value());
  std::vector<std::string> good;
  for (const LabelRow& row : labels.rows_of(*recording)) {
    if (row.problem.empty()) good.push_back(labels.key_of(row));
  }
  EXPECT_THAT(good, ElementsAre("s1", "s3"));
}

/// Without a name of audio in its first row, a line must not be passed over.
TEST_F(LabelTableTest, ARowWithoutANameOfAudioHidesNoOther) {
  const std::string path = folder_.write(
      "c.jsonl",
      R"({"id":"c","start":0,"duration":9,"channel":[0,1],"type":"MultiCut","recording":{"id":"","sources":)"
      R"([{"type":"file","channels":[1],"source":"m1.wav"}],"sampling_rate":8000,"duration":9},"supervisions":)"
      R"([{"id":"s0","start":0,"duration":1,"channel":2},{"id":"s1","start":1,"duration":2,"channel":1,)"
      R"("text":"one"}]})"
      "\n");
  const LabelTable labels({path}, {});
  std::vector<std::string> bad;
  labels.report_bad([&](const LostAudio& lost) { bad.emplace_back(lost.key); });
  EXPECT_THAT(bad, ElementsAre("s0"));
  EXPECT_TRUE(labels.find("m1.wav", {}).recording.has_value());
}

}  // namespace
}  // namespace shardmill::source
