#include "source/entries/part.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "support/bytes.hpp"

namespace shardmill::source {
namespace {

class LargeFileTest : public ::testing::Test {
 protected:
  std::shared_ptr<ScratchSpace> space = std::make_shared<ScratchSpace>(1000);
};

std::string content_of(const base::File& file) {
  Bytes bytes(file.size());
  EXPECT_EQ(file.read_at(bytes, 0), bytes.size());
  return testing::text_of(bytes);
}

TEST_F(LargeFileTest, HoldsWhatWasAddedInItsOrder) {
  LargeFile file(space);
  for (const char* part : {"one ", "", "two ", "three"}) file.add(base::as_bytes(std::string_view(part)));
  auto [scratch, bytes] = std::move(file).end();
  EXPECT_EQ(content_of(scratch), "one two three");
  EXPECT_GE(bytes, 13U);
  space->give_back(bytes);
  EXPECT_EQ(space->taken_bytes(), 0U);
}

TEST_F(LargeFileTest, TakesWhatWasPromisedAtOnceAndNoMore) {
  LargeFile file(space, 10);
  EXPECT_EQ(space->taken_bytes(), 10U);
  file.add(testing::random_bytes(10));
  EXPECT_EQ(space->taken_bytes(), 10U);
  // More than was promised is asked for before it is written.
  file.add(testing::random_bytes(1));
  EXPECT_GE(space->taken_bytes(), 11U);
}

TEST_F(LargeFileTest, GivesBackWhatItTookWhenItIsDropped) {
  {
    LargeFile file(space, 100);
    file.add(testing::random_bytes(500));
    EXPECT_GE(space->taken_bytes(), 500U);
  }
  EXPECT_EQ(space->taken_bytes(), 0U);
}

TEST_F(LargeFileTest, OneThatWasMovedGivesBackOnce) {
  {
    LargeFile file(space, 100);
    LargeFile other(std::move(file));
    other.add(testing::random_bytes(50));
    EXPECT_EQ(space->taken_bytes(), 100U);
  }
  EXPECT_EQ(space->taken_bytes(), 0U);
}

TEST_F(LargeFileTest, WhatHasEndedKeepsItsSpace) {
  std::uint64_t bytes = 0;
  {
    LargeFile file(space, 100);
    bytes = std::move(file).end().second;
  }
  EXPECT_EQ(bytes, 100U);
  EXPECT_EQ(space->taken_bytes(), 100U);
}

TEST_F(LargeFileTest, MoreThanAnArchiveOfAudioUnpacksToIsRefused) {
  EXPECT_THROW(LargeFile(space, ScratchSpace::kAlwaysBytes + 1'000'000), Error);
  EXPECT_EQ(space->taken_bytes(), 0U);
}

TEST(ArchivePath, IsPlain) {
  EXPECT_EQ(plain_path("./a//b/./c.wav"), "a/b/c.wav");
  EXPECT_EQ(plain_path("a/../b"), "a/../b");
  EXPECT_EQ(plain_path(""), "");
}

TEST(ArchivePath, MayLeadOut) {
  for (const std::string_view name : {"/a", "..", "../a", "a/..", "a/../../b"})
    EXPECT_TRUE(leads_out(name)) << name;
  for (const std::string_view name : {"a", "a..b", "..a", "a/b.."}) EXPECT_FALSE(leads_out(name)) << name;
}

TEST(ArchivePath, IsHiddenAsInAFolder) {
  for (const std::string_view name : {"._x.wav", "a/._x.wav", "__MACOSX/a/._x.wav", ".git/x.wav"})
    EXPECT_TRUE(is_hidden(name)) << name;
  // That these lead out must still be told.
  for (const std::string_view name : {"x.wav", "./x.wav", "../x.wav", "a/../x.wav", "a.b/c"})
    EXPECT_FALSE(is_hidden(name)) << name;
}

}  // namespace
}  // namespace shardmill::source
