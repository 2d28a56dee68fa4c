#include "index/mix.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::index {
namespace {

using ::testing::HasSubstr;
using testing::MadeDataset;

TEST(MixTest, SharesFollowTheTemperature) {
  const MadeDataset one;
  const MadeDataset two([](auto& options) { options.recipe.weights = {{"set", 3}}; });
  for (const double temperature : {0.0, 0.5, 1.0}) {
    const Mix mix = mix_datasets({.folders = {one.folder(), two.folder()}, .temperature = temperature});
    ASSERT_EQ(mix.parts.size(), 2U);
    EXPECT_NEAR(mix.parts[1].seconds, 3 * mix.parts[0].seconds, 1e-6);
    EXPECT_NEAR(mix.parts[1].share / mix.parts[0].share, std::pow(3, temperature), 1e-6);
    EXPECT_NEAR(mix.parts[0].share + mix.parts[1].share, 1, 1e-12);
    // Samples of both last as long on average.
    EXPECT_NEAR(mix.parts[0].weight, mix.parts[0].share, 1e-6);
    EXPECT_THAT(mix.yaml, HasSubstr("- type: nemo_tarred\n"));
    EXPECT_THAT(mix.yaml, HasSubstr("audio__OP_000000000..000000001_CL_.tar\""));
  }
}

TEST(MixTest, WhatALoaderCannotReadIsAnError) {
  const MadeDataset packed([](auto& options) { options.recipe.codec = codec::Codec::zstd; });
  EXPECT_THROW(mix_datasets({.folders = {packed.folder()}}), Error);
  const MadeDataset made;
  EXPECT_THROW(mix_datasets({.folders = {made.folder(), made.folder() + "/"}}), UsageError);
  EXPECT_THROW(mix_datasets({.folders = {made.folder() + "/shards"}}), Error);
}

}  // namespace
}  // namespace shardmill::index
