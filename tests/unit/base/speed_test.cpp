#include "base/speed.hpp"

#include <gtest/gtest.h>

namespace shardmill::base {
namespace {

TEST(FormatSpeed, NeverSaysASingleOne) {
  EXPECT_EQ(format_speed(0), "0.0");
  EXPECT_EQ(format_speed(1), "1.0");
  EXPECT_EQ(format_speed(9.94), "9.9");
  EXPECT_EQ(format_speed(9.96), "10");
  EXPECT_EQ(format_speed(12345.6), "12,346");
}

}  // namespace
}  // namespace shardmill::base
