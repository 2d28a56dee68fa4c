#include "base/text/numbers.hpp"

#include <gtest/gtest.h>

namespace shardmill::base {
namespace {

TEST(NumberIn, IsAllOfTheText) {
  EXPECT_EQ(number_in<std::uint64_t>("0"), 0U);
  EXPECT_EQ(number_in<std::uint64_t>("007"), 7U);
  EXPECT_EQ(number_in<std::uint64_t>("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(number_in<int>("-12"), -12);
  EXPECT_EQ(number_in<double>("1e3"), 1000);
  EXPECT_EQ(number_in<double>("-.5"), -0.5);
}

TEST(NumberIn, AnythingElseIsNone) {
  for (const char* text : {"", " 1", "1 ", "+1", "-1", "1.0", "0x10", "one", "18446744073709551616"})
    EXPECT_EQ(number_in<std::uint64_t>(text), std::nullopt) << text;
  EXPECT_EQ(number_in<int>("3000000000"), std::nullopt);
  EXPECT_EQ(number_in<double>("1e999"), std::nullopt);
  EXPECT_EQ(number_in<double>("1s"), std::nullopt);
}

TEST(CountIn, LeavesRoomForSums) {
  EXPECT_EQ(count_in("999999999999999999"), 999'999'999'999'999'999U);
  EXPECT_EQ(count_in("1000000000000000000"), std::nullopt);
  EXPECT_EQ(count_in("-1"), std::nullopt);
  EXPECT_EQ(count_in(""), std::nullopt);
}

}  // namespace
}  // namespace shardmill::base
