#include "source/split.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace shardmill::source {
namespace {

TEST(Split, IsToldByTheNamesThatPublishersUse) {
  for (const std::string_view subset :
       {"train", "train-clean-100", "train_phase1", "train/clean", "train_L", "XL L M", "W", "Train_Ali_far"})
    EXPECT_EQ(split_of(subset), Split::train) << subset;
  for (const std::string_view subset : {"dev", "dev-other", "DEV", "eval", "val", "validation/validation",
                                        "AISHELL-DEV-TEST-SET/iOS/dev", "dev_phase2"})
    EXPECT_EQ(split_of(subset), Split::dev) << subset;
  for (const std::string_view subset : {"test", "test-clean", "TEST_NET", "TEST_MEETING", "test/test",
                                        "eval_clean", "eval_other", "eval/enroll", "iwslt2021"})
    EXPECT_EQ(split_of(subset), Split::test) << subset;
  for (const std::string_view subset : {"validated", "other", "invalidated", "phase1"})
    EXPECT_EQ(split_of(subset), Split::other) << subset;
}

TEST(Split, OfSeveralSubsetsTheOneToKeepApartCounts) {
  EXPECT_EQ(split_of("M dev L"), Split::dev);
  EXPECT_EQ(split_of("dev test"), Split::test);
}

TEST(Split, NamesStandBetweenBlanks) {
  EXPECT_EQ(subset_names("XL  L"), (std::vector<std::string_view>{"XL", "L"}));
  EXPECT_TRUE(subset_names("").empty());
}

TEST(Split, TheSubsetIsFoundAmongFacts) {
  EXPECT_EQ(subset_in(R"("speaker":"S1","subset":"dev clean","lang":"zh")"), "dev clean");
  EXPECT_EQ(subset_in(R"("subset":"train")"), "train");
  EXPECT_EQ(subset_in(R"("note":"\"subset\":\"dev\"")"), "");
  EXPECT_EQ(subset_in(R"("subset":7)"), "");
  EXPECT_EQ(subset_in(""), "");
  EXPECT_EQ(subset_in(R"("split":"dev","note":"x")"), "dev");
  EXPECT_EQ(subset_in(R"("split":"dev","subset":"dev-clean")"), "dev-clean");
}

TEST(Split, ATableSaysItByItsName) {
  EXPECT_EQ(subset_of_table("a/train.csv"), "train");
  EXPECT_EQ(subset_of_table("libriheavy_cuts_dev.jsonl.gz"), "dev");
  EXPECT_EQ(subset_of_table("train-clean-100.tsv"), "train-clean-100");
  EXPECT_EQ(subset_of_table("x_test_clean.csv"), "test_clean");
  for (const char* none : {"cuts_small.jsonl.gz", "trainer.csv", "dev/labels.csv", "latest.csv", ""})
    EXPECT_EQ(subset_of_table(none), "") << none;
}

}  // namespace
}  // namespace shardmill::source
