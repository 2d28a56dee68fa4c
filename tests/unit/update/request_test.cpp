#include "update/request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.hpp"
#include "support/made_dataset.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::update {
namespace {

using ::testing::HasSubstr;
using testing::MadeDataset;
using testing::TemporaryFolder;

template <typename Check>
std::string problem_of(Check check) {
  try {
    check();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(UpdateFolder, ADatasetIsTakenAndOtherFoldersAreNot) {
  const MadeDataset made;
  EXPECT_EQ(problem_of([&] { check_folder(made.folder()); }), "none");
  const TemporaryFolder folder;
  EXPECT_THAT(problem_of([&] { check_folder(folder.path().string()); }),
              HasSubstr("is not a dataset of shardmill"));
  EXPECT_THAT(problem_of([&] { check_folder(folder.file("missing")); }),
              HasSubstr("is not a dataset of shardmill"));
}

TEST(UpdateFolder, AnUnfinishedRunOfAnotherCommandIsNotDisturbed) {
  const TemporaryFolder folder;
  const std::string path = folder.path().string();
  EXPECT_EQ(problem_of([&] { check_no_other_run(path, false); }), "none");
  for (const char* ours : {".shardmill/lock", ".shardmill/update/stage/x", ".shardmill/staged_indexes/x"})
    folder.write(ours, "");
  EXPECT_EQ(problem_of([&] { check_no_other_run(path, false); }), "none");
  folder.write(".shardmill/journal", "");
  EXPECT_THAT(problem_of([&] { check_no_other_run(path, false); }), HasSubstr("not finished"));
}

}  // namespace
namespace {

manifest::WholeSampleRecord sample(const std::string& key, const std::string& dataset,
                                   const std::string& speaker) {
  manifest::WholeSampleRecord record;
  record.key = key;
  record.dataset = dataset;
  record.facts = "\"speaker\":\"" + speaker + "\"";
  return record;
}

class RemovalTest : public ::testing::Test {
 protected:
  std::string list(const std::string& name, const std::string& text) { return folder_.write(name, text); }
  static std::string problem(const Removal& removal) {
    try {
      removal.check_all_found();
    } catch (const Error& error) {
      return error.problem();
    }
    return "";
  }

  testing::TemporaryFolder folder_;
};

TEST_F(RemovalTest, KeysSpeakersAndDatasets) {
  UpdateOptions options;
  options.remove_keys = list("keys", "k1\n");
  options.remove_speakers = list("speakers", "ann\nb/bob\n");
  options.remove_datasets = {"c"};
  Removal removal(options);
  EXPECT_TRUE(removal.find(sample("k1", "a", "x")));
  EXPECT_TRUE(removal.find(sample("k2", "a", "ann")));
  EXPECT_FALSE(removal.find(sample("k3", "a", "bob")));
  EXPECT_FALSE(removal.find(sample("k4", "a", "x")));
  EXPECT_TRUE(removal.find(sample("k5", "c", "x")));
  EXPECT_EQ(problem(removal), "names 1 speaker that the dataset does not have: 'b/bob'");
  EXPECT_TRUE(removal.find(sample("k3", "b", "bob")));
  EXPECT_EQ(problem(removal), "");
}

TEST_F(RemovalTest, ASpeakerOfTwoDatasetsIsAmbiguous) {
  UpdateOptions options;
  options.remove_speakers = list("speakers", "7\n");
  Removal removal(options);
  EXPECT_TRUE(removal.find(sample("k1", "a", "7")));
  EXPECT_THROW(removal.find(sample("k2", "b", "7")), Error);
}

TEST_F(RemovalTest, NamesThatAreMissing) {
  UpdateOptions options;
  options.remove_keys = list("keys", "k1\nk2\nk3\nk4\nk5\n");
  Removal removal(options);
  removal.find(sample("k2", "a", "x"));
  EXPECT_EQ(problem(removal), "names 4 keys that the dataset does not have: 'k1', 'k3', 'k4' and more");
  options.remove_keys = list("none", "\n");
  EXPECT_THROW(Removal{options}, Error);
}

TEST_F(RemovalTest, TheHashIsThatOfTheNames) {
  UpdateOptions one;
  one.remove_keys = list("one", "a\nb\n");
  UpdateOptions other;
  other.remove_keys = list("other", "b\na\n");
  EXPECT_EQ(Removal(one).hash(), Removal(other).hash());
  other.remove_datasets = {"c"};
  EXPECT_NE(Removal(one).hash(), Removal(other).hash());
}

}  // namespace
}  // namespace shardmill::update
