#include "deal/weight.hpp"

#include <gtest/gtest.h>

#include <string>

namespace shardmill::deal {
namespace {

std::uint64_t total(double weight, std::uint64_t seed) {
  std::uint64_t sum = 0;
  for (int i = 0; i < 10'000; ++i) sum += copies(weight, seed, "BAC009S" + std::to_string(i));
  return sum;
}

TEST(Weight, WholeWeightsAreExact) {
  EXPECT_EQ(total(1, 0), 10'000U);
  EXPECT_EQ(total(3, 5), 30'000U);
  EXPECT_EQ(total(0, 5), 0U);
}

TEST(Weight, FractionsAreNear) {
  EXPECT_NEAR(static_cast<double>(total(0.5, 1)), 5'000, 200);
  EXPECT_NEAR(static_cast<double>(total(2.1, 1)), 21'000, 150);
}

TEST(Weight, TheSeedChoosesWhich) {
  int different = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::string key = "k" + std::to_string(i);
    different += copies(0.5, 1, key) != copies(0.5, 2, key) ? 1 : 0;
    EXPECT_EQ(copies(0.5, 1, key), copies(0.5, 1, key));
  }
  EXPECT_NEAR(different, 500, 100);
}

}  // namespace
}  // namespace shardmill::deal
