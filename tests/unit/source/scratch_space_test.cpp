#include "source/scratch_space.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/error.hpp"

namespace shardmill::source {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kMegabyte = 1'000'000;

TEST(ScratchSpaceTest, AnArchiveMayTakeAHundredTimesItsSize) {
  const std::uint64_t most = ScratchSpace::kMostTimes * kMegabyte + ScratchSpace::kAlwaysBytes;
  ScratchSpace space(kMegabyte);
  space.take(most - 10);
  EXPECT_EQ(space.taken_bytes(), most - 10);
  try {
    space.take(11);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("more than 100 times the size of the archive"));
  }
  EXPECT_EQ(space.taken_bytes(), most - 10);
  space.take(10);
  space.give_back(most);
  EXPECT_EQ(space.taken_bytes(), 0U);
}

TEST(ScratchSpaceTest, AbsurdSizesDoNotOverflow) {
  ScratchSpace space(UINT64_MAX);
  EXPECT_NO_THROW(space.take(1));
  ScratchSpace small(0);
  EXPECT_THROW(small.take(UINT64_MAX), Error);
  EXPECT_EQ(small.taken_bytes(), 0U);
}

TEST(ScratchSpaceTest, BytesAreGivenBackWithTheFile) {
  const auto space = std::make_shared<ScratchSpace>(kMegabyte);
  space->take(5);
  auto file = space->share(space->file(), 5);
  file->write_at(base::as_bytes("hello"), 0);
  auto other = file;
  file.reset();
  EXPECT_EQ(space->taken_bytes(), 5U);
  EXPECT_EQ(other->size(), 5U);
  other.reset();
  EXPECT_EQ(space->taken_bytes(), 0U);
}

}  // namespace
}  // namespace shardmill::source
