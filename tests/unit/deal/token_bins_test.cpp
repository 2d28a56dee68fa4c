#include "deal/token_bins.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace shardmill::deal {
namespace {

using Bins = std::vector<std::pair<float, int>>;

Bins without_rates(const std::vector<TokenBin>& bins) {
  Bins found;
  for (const TokenBin& bin : bins) found.emplace_back(bin.seconds, bin.tokens);
  return found;
}

TEST(TokenBins, EachBucketIsDivided) {
  // 19 s: the second bucket begins at 4 s, before which there are more than 9.5 s. 18 tokens are in the
  // first.
  const auto bins = token_bins({{3, 6}, {1, 1}, {1, 2}, {5, 9}, {1, 2}, {1, 3}, {3, 4}, {4, 8}}, 2, 2);
  EXPECT_EQ(without_rates(bins), (Bins{{4, 6}, {4, 6}, {5, 9}}));
  EXPECT_DOUBLE_EQ(bins[0].tokens_per_second, 3);
  EXPECT_DOUBLE_EQ(bins[2].tokens_per_second, 2);
}

TEST(TokenBins, BucketsThatEndAlikeAreOneOfMoreParts) {
  // 11 s: the second bucket begins in the middle of the samples of 2 s. 26 tokens in four parts.
  const auto bins = token_bins({{1, 1}, {1, 2}, {1, 3}, {2, 2}, {2, 4}, {2, 6}, {2, 8}}, 2, 2);
  EXPECT_EQ(without_rates(bins), (Bins{{2, 4}, {2, 8}, {2, 8}}));
  EXPECT_DOUBLE_EQ(bins.back().tokens_per_second, 4);
}

TEST(TokenBins, SamplesWithFarMoreTokensAreLeftOut) {
  std::vector<TokenLength> samples;
  for (int i = 0; i < 100; ++i) samples.push_back({.seconds = 1, .tokens = 10 + i % 3});
  samples.push_back({.seconds = 1, .tokens = 500});
  const std::vector<TokenBin> bins = token_bins(samples, 2, 1);
  EXPECT_EQ(bins.back().tokens, 12);
  EXPECT_DOUBLE_EQ(bins.back().tokens_per_second, 12);
}

TEST(TokenBins, SamplesThatAreAllAlike) {
  const std::vector<TokenBin> bins = token_bins({{3, 7}, {3, 7}, {3, 7}}, 2, 1);
  ASSERT_FALSE(bins.empty());
  EXPECT_EQ(bins.back().tokens, 7);
}

TEST(TokenBins, SamplesWithoutTokensAndWithoutTime) {
  EXPECT_EQ(token_bins({{1, 0}, {1, 0}}, 2, 3).back().tokens, 0);
  EXPECT_FALSE(token_bins({{0, 0}, {0, 5}, {1, 2}}, 2, 2).empty());
  EXPECT_EQ(token_bins({{1.5, 3}}, 2, 2).size(), 1U);
}

}  // namespace
}  // namespace shardmill::deal
