#include "source/shared_tree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "source/corpora.hpp"
#include "source/corpora/list.hpp"

namespace shardmill::source {
namespace {

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
