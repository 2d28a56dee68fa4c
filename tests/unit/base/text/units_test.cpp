#include "base/text/units.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "base/error.hpp"

namespace shardmill::base {

namespace {

TEST(Units, SizesWithEveryUnit) {
  EXPECT_EQ(parse_size("0"), 0u);
  EXPECT_EQ(parse_size("4096"), 4096u);
  EXPECT_EQ(parse_size("12B"), 12u);
  EXPECT_EQ(parse_size("4K"), 4'000u);
  EXPECT_EQ(parse_size("4kB"), 4'000u);
  EXPECT_EQ(parse_size("512MiB"), 512u << 20);
  EXPECT_EQ(parse_size("512mib"), 512u << 20);
  EXPECT_EQ(parse_size("1GiB"), 1u << 30);
  EXPECT_EQ(parse_size("2T"), 2'000'000'000'000u);
  EXPECT_EQ(parse_size("2TiB"), std::uint64_t{2} << 40);
  EXPECT_EQ(parse_size("1.5G"), 1'500'000'000u);
  EXPECT_EQ(parse_size("0.5KiB"), 512u);
}

TEST(Units, WhatIsNoSizeIsRefused) {
  for (const char* text : {"", " ", "G", "-1", "+1", "1 G", "1Q", "1GiBs", "1Gi", "1e9", "inf", "nan", "0x10",
                           "1,5G", "9999999T", "99999999999999999999", ".5G", "1..5G", "1G\n"}) {
    EXPECT_THROW(parse_size(text), UsageError) << text;
  }
}

TEST(Units, ARefusalShowsTheTextAndHowToWriteIt) {
  try {
    parse_size("12Q\n");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "'12Q\\x0a' is not a size (write it like 4096, 64K, 1.5G or 512MiB)");
  }
}

TEST(Units, Durations) {
  EXPECT_EQ(parse_duration_seconds("90"), 90);
  EXPECT_EQ(parse_duration_seconds("0.5"), 0.5);
  EXPECT_EQ(parse_duration_seconds("90s"), 90);
  EXPECT_EQ(parse_duration_seconds("30m"), 1800);
  EXPECT_EQ(parse_duration_seconds("1h"), 3600);
  EXPECT_EQ(parse_duration_seconds("1h30m"), 5400);
  EXPECT_EQ(parse_duration_seconds("1h2m3s4ms"), 3723.004);
  EXPECT_EQ(parse_duration_seconds("250ms"), 0.25);
  EXPECT_EQ(parse_duration_seconds("1.5s"), 1.5);
  EXPECT_EQ(parse_duration_seconds("1.5h"), 5400);
  EXPECT_EQ(parse_duration_seconds("5min"), 300);
  EXPECT_EQ(parse_duration_seconds("1hour30mins10seconds"), 5410);
  EXPECT_EQ(parse_duration_seconds("2hrs"), 7200);
}

TEST(Units, WhatIsNoDurationIsRefused) {
  for (const char* text : {"", "s", "5mi", "1min1m", "-1s", "1 s", "1x", "30m1h", "1h1h", "1h30", "1hm",
                           "1e3s", "inf", "1S", "99999999999h", "99999999999"}) {
    EXPECT_THROW(parse_duration_seconds(text), UsageError) << text;
  }
}

TEST(Units, CountsHaveThousands) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1,000");
  EXPECT_EQ(format_count(1234567), "1,234,567");
  EXPECT_EQ(format_count(18446744073709551615u), "18,446,744,073,709,551,615");
  EXPECT_EQ(format_count(0, "shard"), "0 shards");
  EXPECT_EQ(format_count(1, "shard"), "1 shard");
  EXPECT_EQ(format_count(1234, "index file"), "1,234 index files");
}

TEST(Units, SizesKeepThreeDigits) {
  EXPECT_EQ(format_size(0), "0 B");
  EXPECT_EQ(format_size(999), "999 B");
  EXPECT_EQ(format_size(1000), "1.00 kB");
  EXPECT_EQ(format_size(45'600'000), "45.6 MB");
  EXPECT_EQ(format_size(99'960'000), "100 MB");
  EXPECT_EQ(format_size(999'400'000), "999 MB");
  EXPECT_EQ(format_size(999'600'000), "1.00 GB");
  EXPECT_EQ(format_size(18446744073709551615u), "18.4 EB");
  EXPECT_EQ(format_rate(123.4e6), "123 MB/s");
  EXPECT_EQ(format_rate(-1), "0 B/s");
}

TEST(Units, AmountsOfAudioAndOfTime) {
  EXPECT_EQ(format_audio(4.567), "4.57 s");
  EXPECT_EQ(format_audio(59.999), "1.0 min");
  EXPECT_EQ(format_audio(738), "12.3 min");
  EXPECT_EQ(format_audio(3599), "1.0 h");
  EXPECT_EQ(format_audio(1234.5 * 3600), "1,234.5 h");
  EXPECT_EQ(format_elapsed(0.44), "0.4 s");
  EXPECT_EQ(format_elapsed(9.96), "10 s");
  EXPECT_EQ(format_elapsed(59.6), "1 min 00 s");
  EXPECT_EQ(format_elapsed(185), "3 min 05 s");
  EXPECT_EQ(format_elapsed(7620), "2 h 07 min");
  EXPECT_EQ(format_elapsed(76 * 3600), "3 d 04 h");
}

}  // namespace

namespace {

TEST(FormatSpeed, NeverSaysASingleOne) {
  EXPECT_EQ(format_speed(0), "0.0");
  EXPECT_EQ(format_speed(1), "1.0");
  EXPECT_EQ(format_speed(9.94), "9.9");
  EXPECT_EQ(format_speed(9.96), "10");
  EXPECT_EQ(format_speed(12345.6), "12,346");
}

}  // namespace

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
