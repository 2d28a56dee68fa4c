#include "report/facts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <vector>

#include "report/sections_text.hpp"

namespace shardmill::report {

namespace {

using namespace std::chrono_literals;
using Duration = DurationHistogram::Duration;

TEST(DurationHistogram, AgreesWithSortedValues) {
  std::mt19937_64 random(1);
  std::vector<Duration> values;
  DurationHistogram first;
  DurationHistogram second;
  Duration total{};
  for (int i = 0; i < 9'999; ++i) {
    const Duration value(random() % 40'000'000'000);
    values.push_back(value);
    total += value;
    (i % 3 == 0 ? first : second).add(value);
  }
  first.add(second);
  std::sort(values.begin(), values.end());
  EXPECT_EQ(first.samples(), values.size());
  EXPECT_EQ(first.total(), total);
  EXPECT_EQ(first.shortest(), values.front());
  EXPECT_EQ(first.longest(), values.back());
  EXPECT_EQ(first.quantile(0.5), values[4'999] / 10ms * 10ms);
  EXPECT_EQ(first.quantile(1), values.back() / 10ms * 10ms);
  const auto between =
      std::count_if(values.begin(), values.end(), [](Duration v) { return v >= 1s && v < 3s; });
  EXPECT_EQ(first.count(100, 300), static_cast<std::uint64_t>(between));
  EXPECT_EQ(first.count(0, SIZE_MAX), values.size());
}

TEST(DurationHistogram, WhatIsLongerThanAnHourIsOneStep) {
  DurationHistogram durations;
  durations.add(3600s);
  durations.add(100h);
  EXPECT_EQ(durations.count(DurationHistogram::kSteps, SIZE_MAX), 2u);
  EXPECT_EQ(durations.quantile(0.5), 3600s);
  EXPECT_EQ(durations.longest(), 100h);
}

TEST(DurationHistogram, MayBeEmpty) {
  DurationHistogram durations;
  durations.add(DurationHistogram());
  EXPECT_EQ(durations.samples(), 0u);
  EXPECT_EQ(durations.quantile(0.5), 0s);
  EXPECT_EQ(durations.count(0, SIZE_MAX), 0u);
}

}  // namespace

namespace {

QualityCounts counts_of(const AudioQuality& quality) {
  QualityCounts counts;
  counts.add(quality);
  return counts;
}

TEST(QualityCounts, SoundAudioIsMeasuredAndNothingElse) {
  const QualityCounts counts = counts_of({});
  EXPECT_EQ(counts.measured, 1U);
  EXPECT_FALSE(counts.has_any());
}

TEST(QualityCounts, ALimitItselfCounts) {
  EXPECT_EQ(counts_of({.clipped = 0.001}).clipped, 1U);
  EXPECT_FALSE(counts_of({.clipped = 0.000999}).has_any());
  EXPECT_EQ(counts_of({.dc_offset = 0.01}).dc_offset, 1U);
  EXPECT_EQ(counts_of({.dc_offset = -0.01}).dc_offset, 1U) << "an offset to the other side";
  EXPECT_FALSE(counts_of({.dc_offset = -0.009}).has_any());
  EXPECT_EQ(counts_of({.digital_silence = 0.5}).silent, 1U);
  EXPECT_FALSE(counts_of({.digital_silence = 0.499}).has_any());
  EXPECT_EQ(counts_of({.narrow_band = true}).narrow_band, 1U);
}

TEST(QualityCounts, ZerosAreNotSilentOnceMore) {
  const QualityCounts counts = counts_of({.digital_silence = 1, .all_zero = true});
  EXPECT_EQ(counts.all_zero, 1U);
  EXPECT_EQ(counts.silent, 0U);
  EXPECT_TRUE(counts.has_any());
}

TEST(QualityCounts, CountsOfTwoManifestsAddUp) {
  QualityCounts counts = counts_of({.clipped = 0.5, .dc_offset = 0.5, .digital_silence = 0.75});
  QualityCounts other = counts_of({.clipped = 0.5, .all_zero = true, .narrow_band = true});
  other.add(AudioQuality{.dc_offset = 1, .digital_silence = 0.5});
  counts.add(other);
  EXPECT_EQ(counts.measured, 3U);
  EXPECT_EQ(counts.clipped, 2U);
  EXPECT_EQ(counts.dc_offset, 2U);
  EXPECT_EQ(counts.silent, 2U);
  EXPECT_EQ(counts.all_zero, 1U);
  EXPECT_EQ(counts.narrow_band, 1U);
}

}  // namespace

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
    options.recipe.intake.filters.min_seconds = 0.115;  // two are shorter
    options.recipe.intake.filters.max_seconds = 0.155;  // four are longer
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
