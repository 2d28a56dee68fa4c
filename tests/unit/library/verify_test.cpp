#include "shardmill/verify.hpp"

#include <gtest/gtest.h>

#include "support/made_dataset.hpp"

namespace shardmill {
namespace {

TEST(LibraryVerify, TellsGoodFromDamagedAndWhere) {
  const testing::MadeDataset made;
  Observer observer;
  VerifySummary summary = run_verify({.targets = {made.folder()}, .decode = true}, observer);
  EXPECT_TRUE(summary.good);
  EXPECT_EQ(summary.samples, testing::MadeDataset::kSamples);
  made.flip("shards/audio_000000001.tar", 2000);
  summary = run_verify({.targets = {made.folder()}}, observer);
  EXPECT_FALSE(summary.good);
  bool named = false;
  for (const VerifyFinding& finding : summary.findings)
    named = named || (finding.is_damage && finding.where.path == made.path("shards/audio_000000001.tar"));
  EXPECT_TRUE(named);
}

}  // namespace
}  // namespace shardmill
