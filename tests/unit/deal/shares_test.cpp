#include "deal/shares.hpp"

#include <gtest/gtest.h>

#include <cmath>

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

}  // namespace
}  // namespace shardmill::deal
