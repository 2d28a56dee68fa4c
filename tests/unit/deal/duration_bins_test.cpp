#include "deal/duration_bins.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <sstream>

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

}  // namespace
}  // namespace shardmill::deal
