#include "check/separate_splits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.hpp"
#include "manifest/run_record.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::check {
namespace {

using ::testing::HasSubstr;

/// A folder that was split into train and dev. The samples of dev are those of a made dataset: key0 to key9.
class SplitSiblingsTest : public ::testing::Test {
 protected:
  void split_by(const std::string& by) {
    manifest::SplitRecord record;
    record.by = by;
    record.parts = {{.name = "train"}, {.name = "dev", .shards = 2, .samples = 10}};
    folder.write("split.json", to_json(record));
    folder.write("train/data.list", "");
    std::filesystem::copy(made.folder(), dev(), std::filesystem::copy_options::recursive);
  }
  std::string dev() const { return folder.file("dev"); }
  static manifest::SampleRecord sample(const std::string& key, const std::string& speaker = "") {
    manifest::SampleRecord record;
    record.key = record.source_key = key;
    record.dataset = "set";
    record.source = "new.tar";
    record.audio = {.format = "wav/pcm16", .sample_rate = 16000, .channels = 1, .frames = 16000};
    if (!speaker.empty()) record.facts = "\"speaker\":\"" + speaker + "\"";
    return record;
  }
  std::string problem_of(const manifest::SampleRecord& record) {
    const auto siblings = SplitSiblings::of(folder.file("train"), reporter);
    if (!siblings) return "no split";
    try {
      siblings->check(record);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  }

  testing::MadeDataset made;
  testing::TemporaryFolder folder;
  testing::SilentReporter reporter;
};

TEST_F(SplitSiblingsTest, ADatasetThatIsNoneOfASplitHasNone) {
  EXPECT_FALSE(SplitSiblings::of(made.folder(), reporter));
}

TEST_F(SplitSiblingsTest, AKeyOfAnotherDatasetIsRefused) {
  split_by("key");
  EXPECT_EQ(problem_of(sample("new")), "none");
  const std::string problem = problem_of(sample("key3"));
  EXPECT_THAT(problem, HasSubstr("dev has a sample of this key, too"));
  EXPECT_THAT(problem, HasSubstr("new.tar"));
}

TEST_F(SplitSiblingsTest, ASpeakerOfAnotherDatasetIsRefused) {
  split_by("speaker");
  std::string lines;
  append_line(lines, sample("a", "anna"));
  append_line(lines, sample("b", "bert"));
  folder.write("dev/tarred_audio_manifest.json", lines);
  EXPECT_EQ(problem_of(sample("new", "carla")), "none");
  EXPECT_THAT(problem_of(sample("new", "bert")), HasSubstr("its speaker bert of set is in dev, too"));
  EXPECT_THAT(problem_of(sample("new")), HasSubstr("no speaker may be in two datasets"));
  // The same name in another dataset is another speaker.
  manifest::SampleRecord other = sample("new", "bert");
  other.dataset = "other";
  EXPECT_EQ(problem_of(other), "none");
}

TEST_F(SplitSiblingsTest, ASiblingThatIsNotWholeIsAnErrorAndNoGuess) {
  split_by("key");
  std::filesystem::remove(dev() + "/dataset.json");
  EXPECT_THROW(SplitSiblings::of(folder.file("train"), reporter), Error);
}

TEST_F(SplitSiblingsTest, ManifestsAreCheckedLineByLine) {
  split_by("key");
  std::string lines;
  append_line(lines, sample("new"));
  const auto siblings = SplitSiblings::of(folder.file("train"), reporter);
  ASSERT_TRUE(siblings);
  EXPECT_NO_THROW(siblings->check({folder.write("new.json", lines)}, reporter));
  append_line(lines, sample("key9"));
  EXPECT_THROW(siblings->check({folder.write("new.json", lines)}, reporter), Error);
}

TEST(HashOfSpeaker, NamesAndDatasetsDoNotRunTogether) {
  EXPECT_EQ(hash_of_speaker("a", "b"), hash_of_speaker("a", "b"));
  EXPECT_NE(hash_of_speaker("ab", "c"), hash_of_speaker("a", "bc"));
  EXPECT_NE(hash_of_speaker("a", "b"), hash_of_speaker("b", "a"));
}

}  // namespace
}  // namespace shardmill::check
