#include "deal/token_bins.hpp"

#include <gtest/gtest.h>

namespace shardmill::deal {
namespace {

TEST(TokenBins, EachBucketIsDivided) {
  const std::vector<TokenBin> bins =
      token_bins({{1, 1}, {1, 2}, {1, 3}, {2, 2}, {2, 4}, {2, 6}, {2, 8}}, 2, 2);
  std::vector<std::pair<float, int>> found;
  for (const TokenBin& bin : bins) found.emplace_back(bin.seconds, bin.tokens);
  // 11 s in two halves: the first ends where more than 5.5 s are counted, at 2 s, which is the longest, too.
  const std::vector<std::pair<float, int>> wanted{{2, 2}, {2, 3}, {2, 6}, {2, 8}};
  EXPECT_EQ(found.size(), wanted.size());
  EXPECT_EQ(bins.back().tokens, 8);
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
