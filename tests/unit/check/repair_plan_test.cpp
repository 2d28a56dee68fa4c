#include "check/repair_plan.hpp"

#include <gtest/gtest.h>

#include <string>

#include "manifest/layout.hpp"

namespace shardmill::check {
namespace {

using Bad = std::set<std::string>;

const std::string kManifest0 = manifest::manifest_path(0);
const std::string kManifest1 = manifest::manifest_path(1);

RepairFacts facts(std::uint32_t parity) {
  RepairFacts facts;
  facts.shards = {"shards/a.tar", "shards/b.tar"};
  if (parity == 0) return facts;
  manifest::ParityGroup& group = facts.groups["shards_000000"];
  group.name = "shards_000000";
  group.parity_files = parity;
  group.files.resize(2);
  group.files[0].path = "shards/a.tar";
  group.files[1].path = "shards/b.tar";
  return facts;
}

RepairFrom from(const RepairPlan& plan, const std::string& file) {
  const RepairStep* step = plan.step_for(file);
  if (step == nullptr) throw std::runtime_error("no step for " + file);
  return step->from;
}

TEST(RepairPlan, NothingIsPlannedWhereNothingIsBad) {
  const RepairPlan plan = plan_repair(facts(2), {});
  EXPECT_TRUE(plan.steps.empty());
  EXPECT_TRUE(plan.beyond.empty());
}

TEST(RepairPlan, ParityGoesBeforeSources) {
  EXPECT_EQ(from(plan_repair(facts(1), {"shards/a.tar"}), "shards/a.tar"), RepairFrom::parity);
  EXPECT_EQ(from(plan_repair(facts(0), {"shards/a.tar"}), "shards/a.tar"), RepairFrom::sources);
  EXPECT_EQ(from(plan_repair(facts(1), {"shards/a.tar", "shards/b.tar"}), "shards/b.tar"),
            RepairFrom::sources);
  // A parity file that is lost protects nothing.
  EXPECT_EQ(from(plan_repair(facts(1), {"shards/a.tar", "parity/shards_000000.p00"}), "shards/a.tar"),
            RepairFrom::sources);
}

TEST(RepairPlan, ParityFilesAreMadeOnceAllElseIsThere) {
  const RepairPlan plan = plan_repair(facts(1), {"shards/a.tar", "parity/shards_000000.p00"});
  ASSERT_EQ(plan.steps.size(), 2U);
  EXPECT_EQ(plan.steps[1].from, RepairFrom::parity);
  EXPECT_EQ(plan.steps[1].files, std::vector<std::string>{"parity/shards_000000.p00"});
}

TEST(RepairPlan, ManifestsAndTheirSumAreMadeOfEachOther) {
  EXPECT_EQ(from(plan_repair(facts(0), {kManifest1}), kManifest1), RepairFrom::files);
  const std::string all = "tarred_audio_manifest.json";
  EXPECT_EQ(from(plan_repair(facts(0), {all}), all), RepairFrom::files);
  EXPECT_EQ(plan_repair(facts(0), {all, kManifest0}).beyond.size(), 2U);
  // A shard whose manifest comes back is packed after that.
  const RepairPlan plan = plan_repair(facts(0), {"shards/a.tar", kManifest0});
  ASSERT_EQ(plan.steps.size(), 2U);
  EXPECT_EQ(plan.steps[1].from, RepairFrom::sources);
}

TEST(RepairPlan, ChecksumsAreTheLast) {
  const RepairPlan plan = plan_repair(facts(0), {"SHA256SUMS", kManifest0});
  ASSERT_EQ(plan.steps.size(), 2U);
  EXPECT_EQ(plan.steps[1].files, std::vector<std::string>{"SHA256SUMS"});
  EXPECT_TRUE(plan_repair(facts(0), {"SHA256SUMS", "dataset.json"}).beyond.contains("SHA256SUMS"));
  RepairFacts unsure = facts(0);
  unsure.knows_all_checksums = false;
  EXPECT_TRUE(plan_repair(unsure, {"SHA256SUMS"}).beyond.contains("SHA256SUMS"));
}

TEST(RepairPlan, WhatFailedIsNotTriedAgain) {
  const RepairPlan first = plan_repair(facts(1), {"shards/a.tar"});
  const RepairPlan second = plan_repair(facts(1), {"shards/a.tar"}, {first.steps[0]});
  EXPECT_EQ(from(second, "shards/a.tar"), RepairFrom::sources);
  const RepairPlan third = plan_repair(facts(1), {"shards/a.tar"}, {first.steps[0], second.steps[0]});
  EXPECT_TRUE(third.steps.empty());
  EXPECT_FALSE(third.beyond.at("shards/a.tar").empty());
}

}  // namespace
}  // namespace shardmill::check
