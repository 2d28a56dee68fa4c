#include "report/facts.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "report/sections_text.hpp"

namespace shardmill::report {
namespace {

using testing::MadeDataset;

TEST(ReportFacts, AreThoseOfTheManifests) {
  MadeDataset made;
  const ReportFacts facts = facts_of(made);
  const DurationHistogram& durations = facts.durations.at("set");
  EXPECT_EQ(durations.samples(), MadeDataset::kSamples);
  EXPECT_EQ(durations.shortest(), std::chrono::milliseconds(100));
  EXPECT_EQ(durations.longest(), std::chrono::milliseconds(190));
  EXPECT_EQ(durations.total(), std::chrono::milliseconds(1450));
  ASSERT_EQ(facts.sources.size(), 1u);
  EXPECT_EQ(facts.sources[0].samples, MadeDataset::kSamples);
  EXPECT_EQ(facts.sources[0].duration, std::chrono::milliseconds(1450));
  EXPECT_FALSE(facts.has_other_sources);
  EXPECT_TRUE(facts.rejects.empty());
  EXPECT_FALSE(facts.plan);
}

TEST(ReportFacts, RejectsAreGroupedTheMostFrequentFirst) {
  MadeDataset made([](repack::RepackOptions& options) {
    options.recipe.intake.on_error = pipeline::OnError::skip;
    options.recipe.intake.min_seconds = 0.115;  // two are shorter
    options.recipe.intake.max_seconds = 0.155;  // four are longer
    options.max_rejects = 10;
  });
  const ReportFacts facts = facts_of(made);
  ASSERT_EQ(facts.rejects.size(), 2u);
  EXPECT_EQ(facts.rejects[0].reason, manifest::RejectReason::too_long);
  EXPECT_EQ(facts.rejects[0].count, 4u);
  EXPECT_EQ(facts.rejects[0].examples.size(), RejectGroup::kExamples);
  EXPECT_EQ(facts.rejects[1].reason, manifest::RejectReason::too_short);
  EXPECT_EQ(facts.rejects[1].count, 2u);
}

TEST(ReportFacts, OfRecordsThatContradictEachOtherAreRefused) {
  MadeDataset made;
  std::string manifest = made.read("manifests/manifest_000000000.json");
  manifest.resize(manifest.find('\n') + 1);
  made.write("manifests/manifest_000000000.json", manifest);
  EXPECT_THROW(facts_of(made), Error);
  std::filesystem::remove(made.path("dataset.json"));
  EXPECT_THROW(facts_of(made), Error);
}

}  // namespace
}  // namespace shardmill::report
