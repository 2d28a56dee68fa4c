#include "source/folders/downloads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "source/corpora/list.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::source {
namespace {

TEST(FinishedName, WhatBrowsersAndOthersPutBehindIt) {
  EXPECT_EQ(finished_name("x.tgz.part"), "x.tgz");
  EXPECT_EQ(finished_name("x.tgz.crdownload"), "x.tgz");
  EXPECT_EQ(finished_name("x.tgz.aria2"), "x.tgz");
  EXPECT_EQ(finished_name("Unconfirmed 12.crdownload"), "Unconfirmed 12");
  EXPECT_EQ(finished_name("x.tgz"), std::nullopt);
  EXPECT_EQ(finished_name(".part"), std::nullopt);
  EXPECT_EQ(finished_name("part"), std::nullopt);
}

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(ArchivesBesideTest, ThoseThatAreNotReadWithTheCorpus) {
  const shardmill::testing::TemporaryFolder folder;
  folder.write("x/more.tar.gz", "");
  folder.write("x/below/more.zip", "");
  folder.write("x/notes.txt", "");
  EXPECT_THAT(archives_beside(kLibriSpeech, folder.file("x")),
              ElementsAre(folder.file("x/more.tar.gz"), folder.file("x/below/more.zip")));
  // Its parts may be packed, and nothing tells these from others.
  EXPECT_THAT(archives_beside(kVoxPopuli, folder.file("x")), IsEmpty());
  EXPECT_THAT(archives_beside(kAishell, folder.file("x")), ElementsAre(folder.file("x/more.tar.gz")));
  // Here names tell.
  folder.write("x/audio/en/train/en_train_0.tar", "");
  EXPECT_THAT(archives_beside(kCommonVoice, folder.file("x")),
              ElementsAre(folder.file("x/more.tar.gz"), folder.file("x/below/more.zip")));
}

TEST(ArchivesBesideTest, ThoseThatHoldNoAudio) {
  const shardmill::testing::TemporaryFolder folder;
  folder.write("x/more.tar.gz", "no archive");
  const LeftBeside left =
      check_beside(kLibriSpeech, folder.file("x"), {folder.file("x/more.tar.gz"), folder.file("x/none.tar")});
  ASSERT_THAT(left.warnings, SizeIs(1));
  EXPECT_THAT(left.warnings[0].what(), HasSubstr("more.tar.gz: is left out: it holds no audio"));
  EXPECT_THAT(left.unusable, SizeIs(1));
}

}  // namespace
}  // namespace shardmill::source
