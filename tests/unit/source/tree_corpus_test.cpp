#include "source/tree_corpus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "source/corpora.hpp"
#include "source/corpora/list.hpp"
#include "source/corpus_test.hpp"
#include "support/command_output.hpp"

namespace shardmill::source {
namespace {

using shardmill::testing::TemporaryFolder;

TEST(WantedSubsets, NamesAndTheirBeginnings) {
  const auto wanted = [](std::vector<std::string> subsets, std::vector<std::string> names) {
    return has_wanted_subset(subsets, names);
  };
  EXPECT_TRUE(wanted({}, {}));
  EXPECT_TRUE(wanted({"dev"}, {}));
  EXPECT_FALSE(wanted({}, {"dev"}));
  EXPECT_TRUE(wanted({"L", "M"}, {"M"}));
  for (const char* of_train : {"train", "train-clean-100", "train_L", "train/clean"})
    EXPECT_TRUE(wanted({of_train}, {"dev", "train"})) << of_train;
  EXPECT_TRUE(wanted({"XL"}, {"train"}));  // the names of splits stand for all of a split
  for (const char* other : {"tra", "dev", ""}) EXPECT_FALSE(wanted({other}, {"train"})) << other;
  EXPECT_FALSE(wanted({"train"}, {"train-clean"}));
}

TEST(TreeUtteranceTest, FactsEndWithTheSubsets) {
  TreeUtterance utterance{.key = "k"};
  EXPECT_EQ(utterance.members(), "");
  utterance.facts.text("speaker", "S1");
  utterance.subsets = {"L", "M"};
  EXPECT_EQ(utterance.members(), R"("speaker":"S1","subset":"L M")");
}

/// MagicData has its transcripts in a file for each split, above the speakers.
class TreeInFolder : public ::testing::Test {
 protected:
  TreeInFolder() {
    folder_.write("M/SPKINFO.txt", "SPKID\tAge\tGender\tDialect\n1_1\t20\tfemale\tx\n2_2\t20\tmale\tx\n");
    for (const char* split : {"train", "dev"}) {
      const std::string base = std::string("M/") + split;
      const std::string id = std::string(split) + "_a";
      folder_.write(base + "/TRANS.txt", "UtteranceID\tSpeakerID\tTranscription\n" + id + ".wav\t1_1\t好\n" +
                                             id + "2.wav\t2_2\t再见\n");
      folder_.write(base + "/1_1/" + id + ".wav", "x");
      folder_.write(base + "/2_2/" + id + "2.wav", "x");
    }
  }
  CorpusFiles read(const std::string& folder, const TreeOptions& options = {}) const {
    return read_corpus(kMagicData, folder_.file(folder), {.tree = options});
  }

  TemporaryFolder folder_;
};

TEST_F(TreeInFolder, TextsAndAudioOfTheWhole) {
  const CorpusFiles files = read("M");
  EXPECT_THAT(
      lines_of(files, folder_),
      ElementsAre(R"(M/dev/1_1/dev_a.wav dev_a '好' {"speaker":"1_1","gender":"female","subset":"dev"})",
                  HasSubstr("dev_a2 '再见'"), HasSubstr("train_a '好'"), HasSubstr("train_a2")));
  EXPECT_EQ(files.descriptions.size(), 3u);
  EXPECT_THAT(files.unusable, IsEmpty());
  EXPECT_THAT(files.warnings, IsEmpty());
}

TEST_F(TreeInFolder, APartTakesWhatStandsAboveItAndMissesNothingElse) {
  const CorpusFiles files = read("M/train/1_1");
  EXPECT_THAT(
      lines_of(files, folder_),
      ElementsAre(
          R"(M/train/1_1/train_a.wav train_a '好' {"speaker":"1_1","gender":"female","subset":"train"})"));
  EXPECT_THAT(files.unusable, IsEmpty());
}

TEST_F(TreeInFolder, ARelativePathIsReadAlike) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.file("M/train"));
  const CorpusFiles files = read_corpus(kMagicData, "1_1", {});
  std::filesystem::current_path(before);
  ASSERT_EQ(files.audio.size(), 1u);
  EXPECT_EQ(files.audio[0].path, "1_1/train_a.wav");
  EXPECT_THAT(std::string(files.audio[0].utterances[0].facts), HasSubstr(R"("subset":"train")"));
}

TEST_F(TreeInFolder, OnlyTheSubsetsThatAreWanted) {
  EXPECT_THAT(lines_of(read("M", {.subsets = {"dev"}}), folder_),
              ElementsAre(HasSubstr("dev_a "), HasSubstr("dev_a2 ")));
  EXPECT_THAT(
      shardmill::testing::problem_of_corpus(kMagicData, folder_.file("M"), {.tree = {.subsets = {"test"}}}),
      HasSubstr("holds no audio of the subset test"));
}

TEST_F(TreeInFolder, MissingAudioIsTold) {
  std::filesystem::remove(folder_.file("M/dev/2_2/dev_a2.wav"));
  folder_.write("M/dev/2_2/more.wav", "x");
  const CorpusFiles files = read("M");
  EXPECT_THAT(unusable_lines(files),
              ElementsAre("audio dev_a2: " + folder_.file("M/dev/TRANS.txt") +
                          ": line 3: 'dev_a2' has a transcript, but there is no such audio"));
}

TEST_F(TreeInFolder, PackedTextsAreRead) {
  folder_.write("V/en/asr_dev.tsv", "id\tnormalized_text\na\thello\n");
  shardmill::testing::command_output("gzip " + folder_.file("V/en/asr_dev.tsv"));
  folder_.write("V/en/2012/a.ogg", "x");
  EXPECT_THAT(lines_of(read_corpus(kVoxPopuli, folder_.file("V"), {}), folder_),
              ElementsAre(HasSubstr("a 'hello'")));
}

TEST(TreeWithPackedSpeakers, ArchivesAreReadWithTheTextsThatAreKnown) {
  const TemporaryFolder folder;
  folder.write("A/transcript/aidatatang_200_zh_transcript.txt", "T0055G0001S0001 好\nT0055G0002S0001 再见\n");
  folder.write("A/corpus/train/G0001/T0055G0001S0001.wav", "x");
  folder.write("A/corpus/train/G0001.tar.gz", "the same once more");
  folder.write("A/corpus/train/G0002.tar.gz", "packed");
  const CorpusFiles files = read_corpus(kAidatatang, folder.file("A"), {});
  ASSERT_EQ(files.audio.size(), 2u);
  EXPECT_THAT(warnings_of(files),
              ElementsAre(HasSubstr("G0001.tar.gz: is left out: its contents lie unpacked")));
  EXPECT_THAT(unusable_lines(files), IsEmpty());  // T0055G0002S0001 may be in the other archive.
  const SourceFile& packed = files.audio.back().tree ? files.audio.back() : files.audio.front();
  ASSERT_TRUE(packed.tree);
  EXPECT_TRUE(packed.tree->is_part);
  const auto corpus = packed.tree->begin();
  corpus->all_read();
  const auto found = corpus->find(packed.tree->folder + "G0002/T0055G0002S0001.wav");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->front().text, "再见");
  EXPECT_EQ(found->front().members(), R"("speaker":"G0002","subset":"train")");
}

TEST(SharedTreeTest, WhatOneFindsIsFoundForAll) {
  std::shared_ptr<TreeCorpus> tree = archived_tree(kFleurs, {})->begin();
  tree->read({.path = "af_za/dev.tsv",
              .place = "dev.tsv",
              .content = "3\t17.wav\tX\tx\tx |\t1600\tMALE\n4\t18.wav\tY\ty\ty |\t1600\tMALE\n"});
  tree->all_read();
  const std::shared_ptr<TreeCorpus> shared = share_tree(tree);
  EXPECT_EQ(shared->role("a/17.wav"), TreeCorpus::Role::audio);
  EXPECT_EQ(shared->role("a/dev.tsv"), TreeCorpus::Role::text);
  EXPECT_EQ(shared->packed(), TreeCorpus::Packed::by_name);
  EXPECT_TRUE(shared->belongs_to("17", "af_za/dev"));
  EXPECT_TRUE(shared->loses_by_key());
  EXPECT_EQ(shared->find("a/17.wav")->front().text, "x");
  // It has read what there is.
  shared->read({.path = "af_za/test.tsv", .place = "test.tsv", .content = "no table"});
  std::vector<std::string> lost;
  shared->report_rest([&](const LostAudio& one) { lost.emplace_back(one.key); });
  EXPECT_THAT(lost, ::testing::ElementsAre("18"));
}

}  // namespace
}  // namespace shardmill::source
