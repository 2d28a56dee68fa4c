#include "base/text/numbers.hpp"

#include <gtest/gtest.h>

#include <limits>

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

TEST(RoundedProduct, TakesTheNumberAsItWasWritten) {
  EXPECT_EQ(rounded_product(0.29, 100), 29);
  EXPECT_EQ(rounded_product(1.1, 16000), 17600);
  EXPECT_EQ(rounded_product(8.2, 16000), 131200);
  EXPECT_EQ(rounded_product(16.35, 44100), 721035);
  EXPECT_EQ(rounded_product(1234567.89, 16000), 19753086240);
}

TEST(RoundedProduct, RoundsHalvesUp) {
  EXPECT_EQ(rounded_product(0.00003125, 16000), 1);
  EXPECT_EQ(rounded_product(1.00003125, 16000), 16001);  // the double is smaller
  EXPECT_EQ(rounded_product(3.00003125, 16000), 48001);
  EXPECT_EQ(rounded_product(0.0000312499999, 16000), 0);
  EXPECT_EQ(rounded_product(1.00003124999999, 16000), 16000);
}

TEST(RoundedProduct, TakesAnyNumber) {
  EXPECT_EQ(rounded_product(0, 16000), 0);
  EXPECT_EQ(rounded_product(-0.0, 16000), 0);
  EXPECT_EQ(rounded_product(-1, 16000), 0);
  EXPECT_EQ(rounded_product(1e-300, 16000), 0);
  EXPECT_EQ(rounded_product(1e13, 16000), 160'000'000'000'000'000);
  EXPECT_EQ(rounded_product(1e300, 16000), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(rounded_product(std::numeric_limits<double>::infinity(), 1),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(rounded_product(std::numeric_limits<double>::quiet_NaN(), 1), 0);
  EXPECT_EQ(rounded_product(12.5, 0), 0);
  EXPECT_EQ(rounded_product(0.12345678901234567, 768000), 94815);
}

TEST(DecimalSum, HasNoBinaryFractions) {
  EXPECT_EQ(decimal_sum(0.1, 0.2), 0.3);
  EXPECT_EQ(decimal_sum(1.1, 2.2), 3.3);
  EXPECT_EQ(decimal_sum(100, 0.005), 100.005);
  EXPECT_EQ(decimal_sum(5, -0.7), 4.3);
  EXPECT_EQ(decimal_sum(-0.1, -0.2), -0.3);
  EXPECT_EQ(decimal_sum(1, -1), 0);
  EXPECT_EQ(decimal_sum(1e300, 1), 1e300);
  EXPECT_EQ(decimal_sum(0.12345678901234567, 1000000.1), 1000000.2234567890);
  EXPECT_EQ(decimal_sum(std::numeric_limits<double>::infinity(), 1), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace shardmill::base
