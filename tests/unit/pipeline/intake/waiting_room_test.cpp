#include "pipeline/intake/waiting_room.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/io/file.hpp"

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
}  // namespace shardmill::pipeline
