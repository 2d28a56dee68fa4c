#include "deal/shares.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace shardmill::deal {
namespace {

TEST(Shares, AreWeightsWhereNothingElseIsWanted) {
  EXPECT_EQ(shares({{.seconds = 10}, {.seconds = 0}, {.seconds = 5, .weight = 2.5}}, {}, {}),
            (std::vector<double>{1, 1, 2.5}));
}

TEST(Shares, ATakeIsAPartOfWhatThereIs) {
  EXPECT_EQ(shares({{.seconds = 10, .take = 5}, {.seconds = 100}}, {}, {}), (std::vector<double>{0.5, 1}));
  EXPECT_EQ(shares({{.seconds = 30}, {.seconds = 70, .weight = 1}}, {}, 25),
            (std::vector<double>{0.25, 0.25}));
  // One has its own; the others share the rest in proportion.
  EXPECT_EQ(shares({{.seconds = 10, .take = 5}, {.seconds = 100}, {.seconds = 50, .weight = 2}}, {}, 50),
            (std::vector<double>{0.5, 0.25, 0.5}));
}

TEST(Shares, ATemperatureMakesAmountsMoreAlike) {
  for (const double temperature : {0.0, 0.3, 0.7, 1.0}) {
    const std::vector<double> weights = shares({{.seconds = 100}, {.seconds = 10'000}}, temperature, {});
    EXPECT_NEAR(weights[0] * 100 + weights[1] * 10'000, 10'100, 1);
    EXPECT_NEAR(weights[1] * 10'000 / (weights[0] * 100), std::pow(100, temperature), 0.001);
  }
  const std::vector<double> weights =
      shares({{.seconds = 100}, {.seconds = 900}, {.seconds = 5, .weight = 3}}, 0.5, 500 + 15);
  EXPECT_NEAR(weights[0] * 100 + weights[1] * 900 + weights[2] * 5, 515, 0.01);
  EXPECT_NEAR(weights[1] * 900 / (weights[0] * 100), 3, 0.001);
}

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
