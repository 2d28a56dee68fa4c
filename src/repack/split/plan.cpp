#include "repack/split/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text/units.hpp"
#include "repack/home.hpp"
#include "repack/plan_size.hpp"
#include "repack/split_home.hpp"
#include "source/output_check.hpp"

namespace shardmill::repack {

namespace {

std::vector<std::string> names_of(const deal::SplitWish& wish) {
  if (wish.by == deal::SplitBy::subset) return {deal::kTrain, "dev", "test"};
  std::vector<std::string> names{deal::kTrain};
  for (const auto& [name, amount] : wish.amounts) names.push_back(name);
  return names;
}

/// The number of shards that train needs, where it follows from the amount of audio: only an
/// estimate of it is known, which is good enough here.
void size_train(RepackPlan& train, const deal::ShardSizing& sizing, const deal::SplitWish& wish) {
  const double wanted = std::chrono::duration<double>(wish.total()).count();
  const auto all = static_cast<double>(train.estimate.seconds);
  if (all <= 0) return;
  if (wanted >= 2 * all)
    throw Error(fmt::format("the sources hold about {}, and the splits were to get {}",
                            base::format_audio(all), base::format_audio(wanted)),
                {}, "ask for less");
  if (sizing.by == deal::ShardSizing::By::shards) return;
  const double rest = std::max(0.0, 1 - wanted / all);
  const auto scaled = [rest](std::uint64_t amount) {
    return static_cast<std::uint64_t>(rest * static_cast<double>(amount));
  };
  const deal::InputEstimate left{.samples = scaled(train.estimate.samples),
                                 .seconds = scaled(train.estimate.seconds),
                                 .bytes = scaled(train.estimate.bytes)};
  train.shards = static_cast<std::uint32_t>(deal::shard_count(sizing, left));
  train.recipe.sizing.amount = train.shards;
}

}  // namespace

std::string SplitPlan::folder_of(const std::string& split) const {
  return split_folder(out_folder(), split);
}

std::string SplitPlan::work_of(const std::string& split) const {
  return work_folder_of(folder_of(split));
}

std::string SplitPlan::wished() const {
  return fmt::format("{} by {}", text_of(options.wish), name(options.wish.by));
}

std::string SplitPlan::fingerprint() const {
  return repack::fingerprint(train) + "source of a split: " + wished() + "\n";
}

SplitPlan make_split_plan(const SplitOptions& options, base::Reporter& reporter) {
  SplitPlan plan{.options = options, .names = names_of(options.wish)};
  check_split_folder(plan.out_folder(), plan.names);
  RepackOptions train = options.whole;
  train.out_folder = plan.folder_of(deal::kTrain);
  train.needs_speakers = options.wish.by == deal::SplitBy::speaker;
  if (!train.recipe.list_root.empty()) train.recipe.list_root += "/" + std::string(deal::kTrain);
  if (train.is_for_bucket()) train.recipe.final_place = split_folder(train.recipe.final_place, deal::kTrain);
  if (options.wish.by == deal::SplitBy::subset && train.recipe.intake.tree.subsets.empty())
    train.recipe.intake.tree.subsets = {"all"};
  plan.train = make_plan(train, reporter);
  std::map<std::string, double> named;
  for (const auto& [split, dataset] : options.wish.datasets) named.emplace(dataset, 0);
  check_names(plan.train.inputs, "split", named);
  source::check_output_folder(plan.out_folder(), plan.train.sources);
  size_train(plan.train, options.whole.recipe.sizing, options.wish);
  check_shard_count(plan.train, reporter);
  return plan;
}

std::string text_of(const deal::ShardSizing& sizing) {
  using By = deal::ShardSizing::By;
  const char* by = sizing.by == By::shards    ? "shards"
                   : sizing.by == By::seconds ? "seconds"
                   : sizing.by == By::bytes   ? "bytes"
                                              : "samples";
  return fmt::format("{}={}, a multiple of {}", by, sizing.amount, sizing.multiple_of);
}

}  // namespace shardmill::repack
