#include "base/remote/range_memory.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <set>
#include <vector>

namespace shardmill::base {
namespace {

TEST(RangeMemory, AnyNumberOfReadersFindsRoomForWhatTheyRead) {
  RangeMemory memory;
  for (std::uint64_t readers = 1; readers < 50; ++readers) {
    memory.add_reader();
    EXPECT_LE(readers * (memory.ahead() + 2) * memory.share(), RangeMemory::kBytes) << readers;
    EXPECT_GE(memory.ahead(), 1U);
    EXPECT_LE(memory.share(), RangeMemory::kMostOfOne);
  }
}

TEST(RangeMemory, NoMoreIsTakenThanThereIs) {
  RangeMemory memory;
  EXPECT_TRUE(memory.take(RangeMemory::kBytes - 1));
  EXPECT_FALSE(memory.take(2));
  EXPECT_TRUE(memory.take(1));
  memory.give_back(2, {});
  EXPECT_TRUE(memory.take(2));
}

TEST(RangeMemory, RoomIsUsedAgainWhereItFits) {
  RangeMemory memory;
  ASSERT_TRUE(memory.take(1000));
  auto room = memory.room(1000);
  const auto* const where = room.data();
  memory.give_back(1000, std::move(room));
  EXPECT_NE(memory.room(2000).data(), where);  // it is too small
  EXPECT_NE(memory.room(10).data(), where);    // and here too large
  EXPECT_EQ(memory.room(700).data(), where);
}

TEST(RangeMemory, WhoReadsOnAndOnUsesTheSameRoomAgain) {
  RangeMemory memory;
  memory.add_reader();
  std::deque<std::vector<std::byte>> rooms;
  while (memory.take(memory.share())) rooms.push_back(memory.room(memory.share()));
  std::set<const std::byte*> first;
  for (const auto& room : rooms) first.insert(room.data());
  for (int turn = 0; turn < 100; ++turn) {
    memory.give_back(memory.share(), std::move(rooms.front()));
    rooms.pop_front();
    ASSERT_TRUE(memory.take(memory.share()));  // before there is a request, and so a need of room
    rooms.push_back(memory.room(memory.share()));
    EXPECT_TRUE(first.contains(rooms.back().data()));
  }
}

}  // namespace
}  // namespace shardmill::base
