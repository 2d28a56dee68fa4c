#include "deal/bins.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <sstream>
#include <utility>
#include <vector>

#include "support/command_output.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::deal {
namespace {

using testing::command_output;
using testing::TemporaryFolder;

/// Lhotse's rule written down anew, with numpy's own sum.
std::vector<double> bins_by_numpy(const std::vector<double>& seconds, std::size_t buckets) {
  const TemporaryFolder folder;
  std::ostringstream text;
  text.precision(17);
  for (const double duration : seconds) text << duration << '\n';
  const std::string script = folder.write("bins.py",
                                          "import sys, numpy\n"
                                          "sizes = numpy.sort(numpy.loadtxt(sys.argv[1]))\n"
                                          "share, filled = sizes.sum() / int(sys.argv[2]), 0.0\n"
                                          "for size in sizes:\n"
                                          "    if filled > share:\n"
                                          "        print(float(size).hex())\n"
                                          "        filled = 0.0\n"
                                          "    filled += size\n");
  std::istringstream lines(command_output("/usr/bin/python3 " + script + " " +
                                          folder.write("seconds", text.str()) + " " +
                                          std::to_string(buckets)));
  std::vector<double> bins;
  for (std::string line; std::getline(lines, line);) bins.push_back(std::strtod(line.c_str(), nullptr));
  return bins;
}

TEST(DurationBins, HoldEqualAudio) {
  EXPECT_EQ(duration_bins({1, 1, 1, 1, 4}, 2), std::vector<double>{});  // the long one ends the first bucket
  EXPECT_EQ(duration_bins({4, 3, 2, 1, 1, 1}, 3), (std::vector<double>{3}));
  EXPECT_EQ(duration_bins({1, 1, 1, 1, 1, 1}, 6), (std::vector<double>{1, 1}));
}

TEST(DurationBins, AreLhotses) {
  std::mt19937 random(1);
  for (const std::size_t samples : {7U, 8U, 100U, 128U, 129U, 5000U}) {
    std::vector<double> seconds(samples);
    // Rounded as in manifests: so the running sums often come close to a bucket's share.
    for (double& duration : seconds)
      duration = std::round(std::exp(std::normal_distribution(1.5, 0.6)(random)) * 10) / 10;
    for (const std::size_t buckets : {2U, 5U, 7U})
      EXPECT_EQ(duration_bins(seconds, buckets), bins_by_numpy(seconds, buckets));
  }
}

TEST(BucketShares, AddUp) {
  const std::vector<double> seconds{1, 2, 2, 5};
  const auto shares = bucket_shares(seconds, {2, 5});
  ASSERT_EQ(shares.size(), 3u);
  EXPECT_DOUBLE_EQ(shares[0].audio, 0.1);
  EXPECT_DOUBLE_EQ(shares[1].audio, 0.4);
  EXPECT_DOUBLE_EQ(shares[2].audio, 0.5);
  EXPECT_DOUBLE_EQ(shares[1].samples, 0.5);
}

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
