#include "repack/shard_count_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/units.hpp"
#include "pipeline/survey.hpp"

namespace shardmill::repack {

namespace {

// Up to this number, shards cost little, and the sources are not looked at.
constexpr std::uint64_t kFewShards = 1000;
// No estimate of the number of samples is wrong by more than this factor.
constexpr std::uint64_t kEstimateFactor = 4;

}  // namespace

void check_shard_count(const RepackPlan& plan, base::Reporter& reporter) {
  const auto refuse = [&](const std::string& what) {
    throw Error(fmt::format("{} were asked for, but {}", base::format_count(plan.shards, "shard"), what), {},
                "ask for fewer shards");
  };
  const std::uint64_t limit = plan.recipe.intake.limit;
  if (limit != 0 && plan.shards > limit)
    refuse(fmt::format("no more than {} will be taken", base::format_count(limit, "sample")));
  if (plan.shards <= kFewShards) return;
  std::uint64_t samples = plan.estimate.samples;
  if (samples == 0) {
    reporter.phase("looking at the sources");
    pipeline::IntakeOptions intake = plan.recipe.intake;
    intake.form = {};  // the form does not change the number of samples
    samples = pipeline::sum(pipeline::survey(plan.inputs, intake, reporter).estimates).samples;
    reporter.phase("");
  }
  if (plan.shards > kEstimateFactor * std::max<std::uint64_t>(1, samples))
    refuse(fmt::format("the sources hold only about {}", base::format_count(samples, "sample")));
}

}  // namespace shardmill::repack
