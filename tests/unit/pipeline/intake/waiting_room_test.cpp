#include "pipeline/intake/waiting_room.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/hash/md5.hpp"
#include "base/io/file.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::pipeline {
namespace {

WaitingAudio audio(const std::string& path, std::size_t bytes = 3) {
  const std::string content(bytes, path.back());
  return {.path = path,
          .place = "x.tar!" + path,
          .bytes = Bytes(base::as_bytes(content).begin(), base::as_bytes(content).end()),
          .end_offset = bytes};
}

class WaitingRoomTest : public ::testing::Test {
 protected:
  /// The paths of all that come out now, where there is an answer for those in `answered_`.
  std::vector<std::string> called() {
    std::vector<std::string> paths;
    while (auto next = room_.next([&](const std::string& path) { return answered_.contains(path); })) {
      EXPECT_EQ(next->place, "x.tar!" + next->path);
      EXPECT_EQ(next->bytes.size(), next->end_offset);
      for (const std::byte byte : next->bytes)
        is_whole_ = is_whole_ && static_cast<char>(byte) == next->path.back();
      paths.push_back(next->path);
    }
    EXPECT_TRUE(is_whole_);
    return paths;
  }
  using Paths = std::vector<std::string>;

  WaitingRoom room_{std::make_shared<source::ScratchSpace>(std::uint64_t{1} << 20)};
  std::set<std::string> answered_;
  bool is_whole_ = true;
};

TEST_F(WaitingRoomTest, OnlyThoseThatWereCalledComeOutInTheirOrder) {
  room_.put("chapter 1", audio("b"));
  room_.put("chapter 2", audio("c"));
  room_.put("chapter 1", audio("a"));
  answered_ = {"a", "b", "c"};
  EXPECT_EQ(called(), Paths{});
  room_.call("chapter 1");
  EXPECT_EQ(called(), (Paths{"b", "a"}));
  room_.call("chapter 3");
  EXPECT_EQ(called(), Paths{});
  EXPECT_FALSE(room_.empty());
  room_.call("chapter 2");
  EXPECT_EQ(called(), Paths{"c"});
  EXPECT_TRUE(room_.empty());
}

TEST_F(WaitingRoomTest, WithoutAnAnswerTheyWaitOn) {
  room_.put("text", audio("a"));
  room_.put("text", audio("b"));
  answered_ = {"b"};
  room_.call("text");
  EXPECT_EQ(called(), Paths{"b"});
  answered_ = {"a"};
  EXPECT_EQ(called(), Paths{});  // Nobody called again.
  room_.call("text");
  EXPECT_EQ(called(), Paths{"a"});
}

TEST_F(WaitingRoomTest, AtTheEndAllAreCalled) {
  for (const char* path : {"c", "a", "b"}) room_.put(path, audio(path));
  answered_ = {"a", "b", "c"};
  room_.call("a");
  room_.call_all();
  EXPECT_EQ(called(), (Paths{"c", "a", "b"}));
  EXPECT_TRUE(room_.empty());
  room_.call_all();
  EXPECT_EQ(called(), Paths{});
}

TEST_F(WaitingRoomTest, WhatIsTooMuchForMemoryWaitsOnDisk) {
  // More than 64 MiB; the same bytes come back, and memory that became free is used again.
  constexpr std::size_t kLarge = std::size_t{30} << 20;
  for (const char* path : {"a", "b", "c", "d"}) room_.put("text", audio(path, kLarge));
  room_.put("text", audio("e", 0));
  answered_ = {"a", "c", "e"};
  room_.call("text");
  EXPECT_EQ(called(), (Paths{"a", "c", "e"}));
  room_.put("text", audio("f", kLarge));
  answered_ = {"b", "d", "f"};
  room_.call("text");
  EXPECT_EQ(called(), (Paths{"b", "d", "f"}));
  EXPECT_TRUE(room_.empty());
  for (const char* path : {"g", "h", "i"}) room_.put("text", audio(path, kLarge));
  answered_ = {"g", "h", "i"};
  room_.call_all();
  EXPECT_EQ(called(), (Paths{"g", "h", "i"}));
}

}  // namespace
namespace {

std::string md5(std::string_view text) {
  base::Md5 hash;
  hash.update(base::as_bytes(text));
  return hash.finish();
}

TEST(FileDigestTest, HoweverTheReaderComesForward) {
  const shardmill::testing::TemporaryFolder folder;
  for (const std::size_t size : {0U, 1U, 1U << 20, 5'000'001U}) {
    const std::string content(size, 'x');
    const std::string path = folder.write("file", content);
    {
      FileDigest digest(base::File::open_read(path));
      EXPECT_EQ(digest.finish(), md5(content)) << size;
    }
    FileDigest digest(base::File::open_read(path));
    for (std::size_t offset = 0; offset < size; offset += 700'000) digest.advance(offset);
    digest.advance(size / 2);  // Never back.
    EXPECT_EQ(digest.finish(), md5(content)) << size;
  }
}

TEST(FileDigestTest, NobodyHasToWaitForIt) {
  const shardmill::testing::TemporaryFolder folder;
  FileDigest digest(base::File::open_read(folder.write("file", std::string(3'000'000, 'x'))));
  digest.advance(1'000'000);
}

TEST(FileDigestTest, AFileThatBecomesShorterHasNone) {
  const shardmill::testing::TemporaryFolder folder;
  const std::string path = folder.write("file", std::string(3'000'000, 'x'));
  FileDigest digest(base::File::open_read(path));
  std::filesystem::resize_file(path, 2'500'000);
  EXPECT_THROW(digest.finish(), Error);
}

}  // namespace
}  // namespace shardmill::pipeline
