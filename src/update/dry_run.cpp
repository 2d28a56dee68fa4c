#include "update/dry_run.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <vector>

#include "check/separate_splits.hpp"
#include "pipeline/read_through.hpp"
#include "pipeline/survey.hpp"
#include "update/decision.hpp"
#include "update/facts.hpp"
#include "update/stock.hpp"

namespace shardmill::update {

namespace {

double seconds_of(const std::vector<deal::HeldSample>& samples) {
  Duration sum{};
  for (const deal::HeldSample& sample : samples) sum += sample.duration;
  return shard::seconds(sum);
}

struct Amount {
  double samples = 0;
  double seconds = 0;
};

std::vector<Amount> amounts_of(const repack::RepackPlan& plan, const std::vector<std::string>& names,
                               base::Reporter& reporter) {
  std::vector<Amount> amounts(names.size());
  const auto estimates = pipeline::survey(plan.inputs, plan.recipe.intake, reporter).estimates;
  for (std::size_t i = 0; i < plan.inputs.streams.size(); ++i) {
    // The parts of a finished dataset are not counted: each of them counts as large as the others.
    const auto& datasets = plan.inputs.streams[i].datasets;
    const auto share = 1.0 / static_cast<double>(std::max<std::size_t>(1, datasets.size()));
    for (const std::uint32_t dataset : datasets) {
      const auto name = std::find(names.begin(), names.end(), plan.inputs.datasets[dataset].name);
      Amount& amount = amounts[static_cast<std::size_t>(name - names.begin())];
      amount.samples += share * static_cast<double>(estimates[i].samples);
      amount.seconds += share * static_cast<double>(estimates[i].seconds);
    }
  }
  return amounts;
}

/// Samples such as the sources may hold, with datasets by their places in `names`, from a look at the first
/// samples of some of the files. The same for the same sources.
Expected expected_of(const repack::RepackPlan& plan, const std::vector<std::string>& names,
                     double bytes_a_second, base::Reporter& reporter) {
  const std::vector<Amount> amounts = amounts_of(plan, names, reporter);
  Expected expected;
  std::mt19937_64 random(1);
  double seconds = 0;
  for (std::uint32_t dataset = 0; dataset < amounts.size(); ++dataset) {
    const auto samples = std::llround(amounts[dataset].samples);
    if (samples <= 0) continue;
    seconds += amounts[dataset].seconds;
    const double mean_ns = amounts[dataset].seconds / static_cast<double>(samples) * 1e9;
    // From half to one and a half of the mean: samples of one length could not be balanced.
    constexpr std::uint64_t kSteps = 1 << 20;
    for (long long i = 0; i < samples; ++i) {
      const double factor = 0.5 + static_cast<double>(random() % kSteps) / kSteps;
      expected.samples.push_back(
          {.dataset = dataset, .duration = Duration(static_cast<std::int64_t>(mean_ns * factor))});
    }
  }
  expected.bytes = static_cast<std::uint64_t>(seconds * bytes_a_second);
  return expected;
}

Expected expected(const Request& request, const Stock& stock, base::Reporter& reporter) {
  if (!request.plan) return {};
  reporter.phase("looking at the sources");
  const manifest::DatasetRecord& old = *request.records.dataset;
  return expected_of(*request.plan, stock.datasets(),
                     old.seconds > 0 ? static_cast<double>(old.tar_bytes) / old.seconds : 0, reporter);
}

UpdateSummary foretell(const Request& request, const Facts& facts, base::Reporter& reporter) {
  Stock stock = first_stock(request, facts, std::nullopt);
  const Expected added = expected(request, stock, reporter);
  const Decision decision = decide(request, facts, stock, added);
  const manifest::DatasetRecord& old = *request.records.dataset;
  UpdateSummary summary{.outcome = UpdateSummary::Outcome::planned, .dataset = old};
  manifest::DatasetRecord::Update& update = summary.update;
  update.removed = stock.removed().samples;
  update.removed_seconds = shard::seconds(stock.removed().duration);
  update.added = added.samples.size();
  update.added_seconds = seconds_of(added.samples);
  update.pending = decision.waiting;
  for (std::uint32_t shard = 0; shard < decision.shards; ++shard) {
    if (decision.changed[shard])
      ++(shard < request.old_shards() ? update.rewritten_shards : update.new_shards);
  }
  if (decision.shards < request.old_shards()) summary.removed_shards = request.old_shards() - decision.shards;
  const std::uint64_t all =
      old.samples + (old.pending ? old.pending->samples : 0) - update.removed + update.added;
  summary.waiting = decision.waiting;
  summary.dataset.shards = decision.shards;
  summary.dataset.samples = all - decision.waiting;
  const double changed = static_cast<double>(update.rewritten_shards + update.new_shards);
  const double shards = changed / static_cast<double>(decision.shards);
  const double written =
      shards * static_cast<double>(all - decision.waiting) + static_cast<double>(decision.waiting);
  summary.written_bytes = added.bytes + static_cast<std::uint64_t>(written * static_cast<double>(old.bytes) /
                                                                   static_cast<double>(old.samples));
  return summary;
}

/// Only a look at every sample tells whether one may not be added.
void check_siblings(const Request& request, pipeline::Workers& workers, base::Reporter& reporter) {
  const auto siblings = check::SplitSiblings::of(request.options.folder, reporter);
  if (!siblings) return;
  const repack::RepackPlan& plan = *request.plan;
  pipeline::ReadThrough how{.inputs = plan.inputs,
                            .intake = plan.recipe.intake,
                            .interleave = plan.recipe.interleave,
                            .seed = plan.recipe.seed};
  how.intake.form = {.hearing = {.quality = plan.recipe.intake.form.hearing.quality}};
  reporter.phase("comparing the sources with the other datasets of the split");
  reporter.progress().input_bytes_total = plan.inputs.bytes();
  pipeline::read_through(how, workers, reporter,
                         [&](const pipeline::Utterance& utterance) { siblings->check(utterance.record); });
  reporter.progress().input_bytes = 0;
  reporter.progress().input_bytes_total = 0;
}

}  // namespace

UpdateSummary dry_run(const Request& request, const Facts& facts, pipeline::Workers& workers,
                      base::Reporter& reporter) {
  if (request.plan) check_siblings(request, workers, reporter);
  return foretell(request, facts, reporter);
}

}  // namespace shardmill::update
