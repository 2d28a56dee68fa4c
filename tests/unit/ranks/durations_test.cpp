#include "ranks/durations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "base/error.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::ranks {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MadeDataset;

class DurationsTest : public ::testing::Test {
 protected:
  std::vector<double> seconds(std::size_t shards) {
    return sample_seconds(folder_.path().string(), shards, workers_, reporter_);
  }
  std::string problem(std::size_t shards) {
    try {
      seconds(shards);
    } catch (const Error& error) {
      return error.what();
    }
    return "no problem";
  }

  testing::TemporaryFolder folder_;
  testing::SilentReporter reporter_;
  pipeline::Workers workers_{2, std::uint64_t{64} << 20};
};

TEST_F(DurationsTest, OfAllShardsInTheirOrder) {
  folder_.write("manifests/manifest_000000000.json", "{\"duration\":1.5,\"x\":1}\n{\"duration\":0.25}\n");
  folder_.write("manifests/manifest_000000001.json", "");
  folder_.write("manifests/manifest_000000002.json", "{\"duration\":3}\n");
  EXPECT_THAT(seconds(3), ElementsAre(1.5, 0.25, 3));
  EXPECT_THAT(seconds(0), IsEmpty());
}

TEST_F(DurationsTest, OfARealDatasetAreThoseOfItsSamples) {
  MadeDataset made;
  const auto all = sample_seconds(made.folder(), 2, made.workers(), made.reporter());
  EXPECT_EQ(all.size(), MadeDataset::kSamples);
  // Ten samples of 0.1 s, each 10 ms longer than the one before.
  EXPECT_NEAR(std::accumulate(all.begin(), all.end(), 0.0), 1.45, 1e-9);
}

TEST_F(DurationsTest, WhatIsWrongWithAManifestIsToldWithItsLine) {
  folder_.write("manifests/manifest_000000000.json", "{\"duration\":1.5}\n{\"text\":\"x\"}\n");
  EXPECT_THAT(problem(1), HasSubstr("manifest_000000000.json: line 2: "));
  folder_.write("manifests/manifest_000000000.json", "{\"duration\":\"1.5\"}\n");
  EXPECT_THAT(problem(1), HasSubstr("manifest_000000000.json: line 1: 'duration' is not a number"));
  folder_.write("manifests/manifest_000000000.json", "{\"duration\":1.5");
  EXPECT_THAT(problem(1), HasSubstr("manifest_000000000.json: line 1: "));
  EXPECT_THAT(problem(2), HasSubstr("manifest_"));
}

}  // namespace
}  // namespace shardmill::ranks
