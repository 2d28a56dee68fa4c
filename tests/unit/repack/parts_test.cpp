#include "repack/parts.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "repack/home.hpp"
#include "repack/run_case.hpp"
#include "support/command_output.hpp"

namespace shardmill::repack {
namespace {

using ::testing::HasSubstr;
using What = PartDone::What;

class PartsTest : public RunCase {
 protected:
  PartPlan planned(std::uint32_t parts) {
    plan_parts(options_, parts, reporter_);
    return *read_part_plan(options_.out_folder);
  }
  RepackOptions options_of_plan(const PartPlan& plan) const { return options_of(plan, options_); }
  PartDone run(const PartPlan& plan, std::uint32_t part) {
    return run_part(options_of_plan(plan), plan, part, workers_, reporter_);
  }
  RepackSummary finish(const PartPlan& plan) {
    return finish_parts(options_of_plan(plan), plan, workers_, reporter_);
  }
  template <typename Call>
  static std::string problem(Call call) {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  }
};

TEST_F(PartsTest, TogetherMakeEqualShardsOfAllSamples) {
  const PartPlan plan = planned(2);
  EXPECT_EQ(run(plan, 0).samples + run(plan, 1).samples, 60U);
  const RepackSummary summary = finish(plan);
  EXPECT_EQ(summary.outcome, RepackSummary::Outcome::written);
  EXPECT_EQ(summary.dataset.samples, 60U);
  EXPECT_EQ(summary.dataset.balance.min_samples, 15U);
  EXPECT_EQ(summary.dataset.balance.max_samples, 15U);
  EXPECT_EQ(keys_in(options_.out_folder).size(), 60U);
  EXPECT_FALSE(std::filesystem::exists(work_folder_of(options_.out_folder)));
  testing::command_output("cd " + options_.out_folder + " && sha256sum -c --quiet --strict SHA256SUMS");
}

TEST_F(PartsTest, GiveTheSameBytesWhoeverCompletesTheShards) {
  const auto make = [&](bool each_by_itself) {
    options_.out_folder = folder_.file(each_by_itself ? "each" : "one");
    options_.recipe.list_root = "/data";
    const PartPlan plan = planned(2);
    for (const std::uint32_t part : {1U, 0U}) EXPECT_EQ(run(plan, part).what, What::read);
    if (each_by_itself) {
      deal_parts(options_of_plan(plan), plan, reporter_);
      for (const std::uint32_t part : {0U, 1U}) EXPECT_EQ(run(plan, part).what, What::completed);
      EXPECT_EQ(run(plan, 0).what, What::nothing);
    }
    finish(plan);
    return text("SHA256SUMS") + text("data.list");
  };
  EXPECT_EQ(make(true), make(false));
}

TEST_F(PartsTest, ThePlanIsWrittenOnce) {
  const PartsPlanned first = plan_parts(options_, 2, reporter_);
  EXPECT_FALSE(first.was_planned);
  EXPECT_EQ(first.files, 3U);
  EXPECT_EQ(first.shards, 4U);
  const std::string id = read_part_plan(options_.out_folder)->id;
  EXPECT_TRUE(plan_parts(options_, 2, reporter_).was_planned);
  EXPECT_EQ(read_part_plan(options_.out_folder)->id, id);
  EXPECT_THAT(problem([&] { plan_parts(options_, 3, reporter_); }), HasSubstr("differs"));
}

TEST_F(PartsTest, APartThatWasNotReadIsNamed) {
  const PartPlan plan = planned(2);
  run(plan, 1);
  EXPECT_THAT(problem([&] { finish(plan); }), HasSubstr("1 of 2 parts is not done: 0"));
  EXPECT_TRUE(read_part_plan(options_.out_folder).has_value()) << "the other part can still be read";
}

TEST_F(PartsTest, ThereAreNoMorePartsThanPlanned) {
  const PartPlan plan = planned(2);
  EXPECT_THAT(problem([&] { run(plan, 2); }), HasSubstr("there is no part 2"));
}

TEST_F(PartsTest, SourcesThatChangedAreRefused) {
  const PartPlan plan = planned(2);
  const std::string source = folder_.file("source0.tar");
  std::filesystem::last_write_time(source,
                                   std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_THAT(problem([&] { run(plan, 0); }), HasSubstr("was planned for other sources"));
}

TEST_F(PartsTest, AFinishedDatasetIsFound) {
  EXPECT_FALSE(finished_already(options_, reporter_).has_value());
  const PartPlan plan = planned(1);
  EXPECT_FALSE(finished_already(options_, reporter_).has_value());
  run(plan, 0);
  finish(plan);
  EXPECT_EQ(finished_already(options_, reporter_)->dataset.samples, 60U);
  EXPECT_TRUE(plan_parts(options_, 1, reporter_).finished.has_value());
}

TEST_F(PartsTest, WhatPartsCannotKeepIsRefused) {
  RepackOptions limited = options_;
  limited.recipe.intake.limit = 5;
  RepackOptions even = options_;
  even.recipe.even = deal::Even::leave_out;
  RepackOptions first = options_;
  first.recipe.intake.on_duplicate = pipeline::OnDuplicate::first;
  for (const RepackOptions& refused : {limited, even, first})
    EXPECT_THROW(plan_parts(refused, 2, reporter_), UsageError);
  EXPECT_THROW(plan_parts(options_, 5, reporter_), UsageError) << "more parts than shards";
}

}  // namespace
}  // namespace shardmill::repack
