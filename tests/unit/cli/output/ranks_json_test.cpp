#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/output/reports.hpp"
#include "ranks/ranks.hpp"
#include "support/made_dataset.hpp"

namespace shardmill::cli {
namespace {

TEST(RanksJson, AddsUpToTheDataset) {
  testing::MadeDataset made;
  ranks::RanksOptions options{.targets = {made.folder()},
                              .world_sizes = {1, 2},
                              .loaders = {deal::kAllLoaders.begin(), deal::kAllLoaders.end()}};
  options.dry_run = true;
  const auto summary = ranks::run_ranks(options, made.workers(), made.reporter());
  const auto json = nlohmann::json::parse(ranks_as_json(summary, options));
  EXPECT_EQ(json["kind"], "dataset");
  EXPECT_EQ(json["samples"], testing::MadeDataset::kSamples);
  ASSERT_EQ(json["world_sizes"].size(), 2u);
  EXPECT_EQ(json["world_sizes"][1]["world_size"], 2);
  for (const auto& world : json["world_sizes"]) {
    EXPECT_EQ(world["loaders"].size(), deal::kAllLoaders.size());
    std::uint64_t samples = 0;
    for (const auto& rank : world["lists"]["ranks"]) samples += rank["samples"].get<std::uint64_t>();
    EXPECT_EQ(samples, testing::MadeDataset::kSamples);
  }
  EXPECT_EQ(json["out"], "");
}

}  // namespace
}  // namespace shardmill::cli
