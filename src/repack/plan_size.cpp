#include "repack/plan_size.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/units.hpp"
#include "codec/erasure_code.hpp"
#include "dataset/free_space.hpp"
#include "deal/dealer.hpp"
#include "pipeline/survey.hpp"
#include "repack/finish.hpp"
#include "repack/folder.hpp"

namespace shardmill::repack {

namespace {

// A line in the manifest of the shard, the same line in the manifest of all samples, and indexes.
constexpr std::uint64_t kRecordBytesPerSample = 1000;

// Up to this number, shards cost little, and the sources are not looked at.
constexpr std::uint64_t kFewShards = 1000;
// No estimate of the number of samples is wrong by more than this factor.
constexpr std::uint64_t kEstimateFactor = 4;

}  // namespace

std::uint64_t planned_bytes(const RepackPlan& plan, unsigned threads) {
  deal::InputEstimate amount = plan.estimate;
  const std::uint64_t limit = plan.recipe.intake.limit;
  const double taken = limit == 0 || amount.samples <= limit
                           ? 1
                           : static_cast<double>(limit) / static_cast<double>(amount.samples);
  const double samples = taken * static_cast<double>(amount.samples);
  const double tars = taken * static_cast<double>(amount.bytes);
  const double shards = std::max<double>(1, plan.shards);
  // Samples that wait for the end of the input are written twice.
  const auto seconds = static_cast<std::int64_t>(taken * static_cast<double>(amount.seconds));
  const auto held_samples = static_cast<double>(
      deal::held_samples(plan.shards, static_cast<std::uint64_t>(samples), std::chrono::seconds(seconds)));
  const double held = samples < 1 ? 0 : held_samples / samples;
  // Each tar is removed when its compressed shard is whole.
  const bool compresses = plan.recipe.codec != codec::Codec::none;
  const double at_once = compresses ? std::min<double>(threads, shards) / shards : 0;
  const double parity =
      static_cast<double>(plan.recipe.parity) / std::min<double>(codec::kMostDataPieces, shards);
  return static_cast<std::uint64_t>((1 + parity) * (tars + samples * kRecordBytesPerSample) +
                                    tars * (held + at_once));
}

void check_room(const RepackOptions& options, const RepackPlan& plan, unsigned threads) {
  if (options.ignore_free_space) return;
  dataset::check_free_space(options.out_folder, planned_bytes(plan, threads),
                            dataset::bytes_below(work_folder_of(options.out_folder)));
}

RepackSummary summary_of_plan(const RepackPlan& plan, unsigned threads) {
  RepackSummary summary{.outcome = RepackSummary::Outcome::planned,
                        .estimate = plan.estimate,
                        .input_bytes = input_bytes(plan),
                        .planned_shards = plan.shards,
                        .needed_bytes = planned_bytes(plan, threads),
                        .planned_extensions = plan.audio_extensions};
  for (std::size_t i = 0; i < plan.dataset_seconds.size(); ++i) {
    const auto& [name, weight] = plan.inputs.datasets[i];
    summary.planned_datasets.push_back({.name = name, .seconds = plan.dataset_seconds[i], .weight = weight});
  }
  return summary;
}

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
