#include "repack/plan_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/text/units.hpp"
#include "codec/erasure_code.hpp"
#include "dataset/environment.hpp"
#include "deal/dataset_deal.hpp"
#include "deal/dealer.hpp"
#include "pipeline/input_checks.hpp"
#include "pipeline/survey.hpp"
#include "repack/finish.hpp"
#include "repack/home.hpp"

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
  RepackSummary summary{
      .outcome = RepackSummary::Outcome::planned,
      .estimate = plan.estimate,
      .input_bytes = plan.inputs.bytes(),
      .planned_shards = plan.shards,
      .needed_bytes = planned_bytes(plan, threads),
      .shards_of_unknown_keys = plan.recipe.intake.on_duplicate == pipeline::OnDuplicate::stop
                                    ? pipeline::files_of_unknown_keys(plan.inputs)
                                    : 0,
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

namespace {

constexpr double kMostWeight = 1000;

std::optional<double> value_of(const std::map<std::string, double>& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

/// Adds what the records of a finished dataset say of it.
void add_listed(const pipeline::InputStream& stream, const std::vector<pipeline::DatasetInput>& datasets,
                std::vector<double>& seconds) {
  for (const source::SourceFile& file : stream.files) {
    if (!file.listing) continue;
    for (const auto& share : file.listing->record.shares) {
      for (const std::uint32_t number : stream.datasets) {
        // When the user gave it one name, all of it belongs to the dataset of that name.
        if (stream.datasets.size() == 1 || datasets[number].name == share.dataset)
          seconds[number] += share.seconds;
      }
    }
  }
}

bool is_listed(const pipeline::InputStream& stream) {
  return std::any_of(stream.files.begin(), stream.files.end(),
                     [](const source::SourceFile& file) { return file.listing != nullptr; });
}

Error too_little(std::string_view what, double has, double wanted) {
  return Error(fmt::format("{} about {}, and {} were asked for", what, base::format_audio(has),
                           base::format_audio(wanted)),
               {}, "take less");
}

}  // namespace

std::vector<double> seconds_of_datasets(const pipeline::Inputs& inputs, const pipeline::IntakeOptions& intake,
                                        base::Reporter& reporter) {
  pipeline::IntakeOptions as_it_is = intake;
  as_it_is.form = {};  // the form changes no length
  const auto estimates = pipeline::survey(inputs, as_it_is, reporter).estimates;
  std::vector<double> seconds(inputs.datasets.size(), 0);
  for (std::size_t i = 0; i < inputs.streams.size(); ++i) {
    const pipeline::InputStream& stream = inputs.streams[i];
    if (is_listed(stream)) {
      add_listed(stream, inputs.datasets, seconds);
    } else {
      seconds[stream.datasets.front()] += static_cast<double>(estimates[i].seconds);
    }
  }
  return seconds;
}

std::map<std::string, double> settle_shares(const dataset::Recipe& recipe, const pipeline::Inputs& inputs,
                                            const std::vector<double>& seconds) {
  const std::optional<double> rest_wanted = value_of(recipe.takes, "");
  std::vector<deal::ShareWish> wishes;
  double rest = 0;
  for (std::size_t i = 0; i < inputs.datasets.size(); ++i) {
    const std::string& name = inputs.datasets[i].name;
    const deal::ShareWish wish{.seconds = seconds[i],
                               .weight = value_of(recipe.weights, name),
                               .take = value_of(recipe.takes, name)};
    if (wish.weight && wish.take)
      throw UsageError(
          fmt::format("a weight and an amount to take are both given for the dataset '{}'", name), {},
          "give one of them");
    if (wish.take && *wish.take > wish.seconds)
      throw too_little(fmt::format("the dataset '{}' holds", name), wish.seconds, *wish.take);
    if (!wish.take) rest += wish.weight.value_or(1) * wish.seconds;
    wishes.push_back(wish);
  }
  if (rest_wanted && *rest_wanted > rest) throw too_little("the sources hold", rest, *rest_wanted);
  const std::vector<double> weights = deal::shares(wishes, recipe.temperature, rest_wanted);
  std::map<std::string, double> shares;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > kMostWeight)
      throw Error(fmt::format("the dataset '{}' would be taken {} times: it is too small for this mix",
                              inputs.datasets[i].name, weights[i]),
                  {}, "give it a weight of its own, or a higher temperature");
    shares[inputs.datasets[i].name] = weights[i];
  }
  return shares;
}

}  // namespace shardmill::repack
