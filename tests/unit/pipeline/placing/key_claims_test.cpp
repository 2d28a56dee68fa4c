#include "pipeline/placing/key_claims.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/io/file.hpp"
#include "source/source_set.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::pipeline {
namespace {

using testing::MadeDataset;

base::Xxh128 hash(std::string_view key) {
  return base::xxh3_128(base::as_bytes(key));
}

TEST(KeyClaimsTest, TheSourceGivenFirstHasTheKey) {
  KeyClaims claims;
  EXPECT_FALSE(claims.has_earlier(hash("a"), 5));
  claims.add(hash("a"), 3);
  claims.add(hash("a"), 1);
  claims.add(hash("a"), 2);
  EXPECT_TRUE(claims.has_earlier(hash("a"), 2));
  EXPECT_FALSE(claims.has_earlier(hash("a"), 1));
  EXPECT_FALSE(claims.has_earlier(hash("a"), 0));
  EXPECT_FALSE(claims.has_earlier(hash("b"), 9));
}

/// Claims of a finished dataset that was given first.
class ClaimsOfTest : public ::testing::Test {
 protected:
  std::shared_ptr<const KeyClaims> claims(const std::string& source, const IntakeOptions& options = {},
                                          double weight = 1) {
    Inputs inputs;
    inputs.datasets = {{.name = "set", .weight = weight}};
    const auto set = source::find_sources({source}, {});
    for (const auto& dataset : set.datasets)
      inputs.streams.push_back({.name = dataset.name, .files = dataset.files, .datasets = {0}});
    return claims_of(inputs, options, 0, made_.workers(), made_.reporter());
  }
  static std::size_t claimed(const KeyClaims& claims) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < MadeDataset::kSamples; ++i)
      count += claims.has_earlier(hash("key" + std::to_string(i)), 1) ? 1 : 0;
    return count;
  }

  MadeDataset made_;
};

TEST_F(ClaimsOfTest, AllKeysOfAFinishedDataset) {
  const auto found = claims(made_.folder());
  ASSERT_TRUE(found);
  EXPECT_EQ(claimed(*found), MadeDataset::kSamples);
  EXPECT_FALSE(found->has_earlier(hash("key0"), 0));
  EXPECT_FALSE(found->has_earlier(hash("key10"), 1));
}

TEST_F(ClaimsOfTest, ShardsThatNobodyListedClaimNothing) {
  EXPECT_FALSE(claims("set=" + made_.source()));
}

TEST_F(ClaimsOfTest, SamplesThatFiltersLeaveOutDoNotTakeThePlaceOfOthers) {
  // The samples are 100 ms long, 110 ms, 120 ms, ...
  EXPECT_EQ(claimed(*claims(made_.folder(), {.min_seconds = 0.145})), 5u);
  EXPECT_EQ(claimed(*claims(made_.folder(), {.max_seconds = 0.115})), 2u);
  EXPECT_EQ(claimed(*claims(made_.folder(), {.keys = {.include = {"key[0-3]"}, .exclude = {"key2"}}})), 3u);
  EXPECT_EQ(claimed(*claims(made_.folder(), {.require_text = true})), MadeDataset::kSamples);
}

TEST_F(ClaimsOfTest, AWeightTakesOnlyAPart) {
  const std::size_t half = claimed(*claims(made_.folder(), {}, 0.5));
  EXPECT_GT(half, 0u);
  EXPECT_LT(half, MadeDataset::kSamples);
  EXPECT_EQ(claimed(*claims(made_.folder(), {}, 3)), MadeDataset::kSamples);
}

TEST_F(ClaimsOfTest, AManifestThatCannotBeReadClaimsNothingAndStopsNobody) {
  const std::string manifest = "manifests/manifest_000000000.json";
  const auto before = claims(made_.folder());
  made_.write(manifest, "no manifest\n");
  const auto set = claims(made_.folder());
  ASSERT_TRUE(set);
  EXPECT_EQ(claimed(*set), 5u);
}

}  // namespace
}  // namespace shardmill::pipeline
