#include "repack/split/make.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "base/text/units.hpp"
#include "deal/even.hpp"
#include "pipeline/journal.hpp"
#include "repack/fingerprint.hpp"
#include "repack/finish.hpp"
#include "repack/home.hpp"
#include "repack/plan_size.hpp"
#include "repack/split_home.hpp"
#include "source/source_set.hpp"

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
  // The estimate is rough: a run may yet find enough.
  if (wanted >= (train.is_trial ? all : 2 * all))
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

namespace {

using pipeline::SplitKeeper;

deal::Duration audio_of(const pipeline::IntakeCounts& counts) {
  deal::Duration sum{};
  for (const auto& [form, amount] : counts.forms) sum += amount.duration;
  return sum;
}

class SplitMaker {
 public:
  SplitMaker(const SplitPlan& plan, pipeline::Workers& workers, base::Reporter& reporter)
      : plan_(plan), workers_(workers), reporter_(reporter) {}

  MadeSplits make();

 private:
  pipeline::MillPlan mill_of_train() const;
  static void run(pipeline::Mill& mill);
  MadeSplit make_train(pipeline::Mill& mill) const;
  MadeSplit make_other(const SplitKeeper::Share& share, const pipeline::Mill& train,
                       deal::Duration train_audio) const;
  std::uint32_t shards_for(const SplitKeeper::Share& share, deal::Duration train_audio) const;
  pipeline::HeldShare dealt(const SplitKeeper::Share& share, std::uint32_t shards) const;

  /// Where the samples of the other splits are kept.
  std::string kept_samples() const { return pipeline::split_path(plan_.work_of(deal::kTrain)); }

  const SplitPlan& plan_;
  pipeline::Workers& workers_;
  base::Reporter& reporter_;
};

MadeSplits SplitMaker::make() {
  const pipeline::MillPlan how = mill_of_train();
  pipeline::Mill mill(how, workers_, reporter_);
  MadeSplits made{.splits = {}, .resumed = mill.resume()};
  run(mill);
  deal::Duration train_audio = audio_of(mill.counts());
  for (const SplitKeeper::Share& share : mill.splits()) train_audio -= share.duration;
  for (const SplitKeeper::Share& share : mill.splits())
    made.splits.push_back(make_other(share, mill, train_audio));
  made.splits.push_front(make_train(mill));
  return made;
}

pipeline::MillPlan SplitMaker::mill_of_train() const {
  pipeline::MillPlan how = mill_plan(plan_.train, plan_.train.inputs, plan_.work_of(deal::kTrain),
                                     plan_.options.whole.checkpoints);
  how.split = plan_.options.wish;
  how.fingerprint = plan_.fingerprint();
  how.claims = pipeline::claims_of(how.inputs, how.intake, how.seed, workers_, reporter_);
  reporter_.progress().input_bytes_total = how.inputs.bytes();
  return how;
}

void SplitMaker::run(pipeline::Mill& mill) {
  try {
    mill.run();
  } catch (const pipeline::UnknownSpeaker& error) {
    throw deal::SplitError(error.problem(), error.where(), error.advice(), Remedy::split_by_key);
  } catch (const pipeline::UnknownSubset& error) {
    throw deal::SplitError(error.problem(), error.where(), Remedy::split_by_amounts);
  }
}

MadeSplit SplitMaker::make_train(pipeline::Mill& mill) const {
  return {.name = deal::kTrain,
          .shards = plan_.train.shards,
          .counts = mill.counts_without_splits(),
          .finished = pack(mill, plan_.recipe(), workers_, reporter_)};
}

/// The sizes that were asked for are those of a shard in any split. Where a number was asked for, it is that
/// of train, and the other splits get shards of the same size.
std::uint32_t SplitMaker::shards_for(const SplitKeeper::Share& share, deal::Duration train_audio) const {
  using By = deal::ShardSizing::By;
  using std::chrono::duration_cast;
  using std::chrono::milliseconds;
  deal::ShardSizing sizing = plan_.options.whole.recipe.sizing;
  sizing.multiple_of = 1;  // one trains on train
  const auto in_ms = [](deal::Duration duration) {
    return static_cast<std::uint64_t>(duration_cast<milliseconds>(duration).count());
  };
  deal::InputEstimate amount{.samples = share.entries.size(), .seconds = in_ms(share.duration)};
  for (const auto& entry : share.entries) amount.bytes += entry.bytes;
  if (sizing.by == By::shards) {
    sizing.by = By::seconds;
    sizing.amount = std::max<std::uint64_t>(1, in_ms(train_audio) / plan_.train.shards);
  } else if (sizing.by == By::seconds) {
    sizing.amount *= 1000;
  }
  const std::uint64_t shards = deal::shard_count(sizing, amount);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(shards, amount.samples));
}

/// The samples of a split, each with its shard.
pipeline::HeldShare SplitMaker::dealt(const SplitKeeper::Share& share, std::uint32_t shards) const {
  const dataset::Recipe& recipe = plan_.recipe();
  pipeline::HeldShare held{.path = kept_samples(), .placements = {}};
  std::vector<deal::HeldSample> samples;
  for (const pipeline::HeldStore::Entry& entry : share.entries) samples.push_back(entry.sample);
  const std::vector<deal::Holding> nothing(shards);
  const std::vector<std::span<const deal::Holding>> dealt(plan_.train.inputs.datasets.size(), nothing);
  const deal::EvenWish wish{.even = recipe.even, .seed = recipe.seed};
  const deal::RestDeal deal = deal::deal_evenly(dealt, samples, wish);
  deal::check_equal(deal, wish);
  for (const std::uint32_t number : deal.left_out) held.left_out.push_back(share.entries[number]);
  for (const bool copies : {false, true}) {
    for (const auto& [number, shard] : copies ? deal.repeated : deal.placed)
      held.placements.push_back({.entry = share.entries[number], .shard = shard, .is_copy = copies});
  }
  return held;
}

MadeSplit SplitMaker::make_other(const SplitKeeper::Share& share, const pipeline::Mill& train,
                                 deal::Duration train_audio) const {
  MadeSplit made{.name = share.name, .groups = share.groups, .shards = shards_for(share, train_audio)};
  pipeline::MillPlan how = mill_plan(plan_.train, {.datasets = plan_.train.inputs.datasets, .streams = {}},
                                     plan_.work_of(share.name), plan_.options.whole.checkpoints);
  how.unusable.clear();  // they are told by train
  how.promises.clear();
  how.shards = made.shards;
  how.part = pipeline::MillPart{};
  how.is_split = true;
  how.fingerprint = fmt::format("{}source of {}: {} shards\n", plan_.fingerprint(), share.name, made.shards);
  how.taken = {&train.keys(), [](const shard::KeySet*) {}};  // train outlives it

  // Work that an earlier run left is only used if it was meant for the same result.
  const auto journal = pipeline::read_journal(pipeline::journal_path(how.work_folder));
  if (!journal || journal->fingerprint != how.fingerprint) remove_work(how.work_folder);
  base::make_folders(how.work_folder + "/spool");
  reporter_.phase("making " + share.name);
  pipeline::Mill mill(how, workers_, reporter_);
  mill.resume();
  mill.complete({dealt(share, made.shards)});
  made.counts = mill.counts();
  made.counts.doubtful = train.counts().doubtful;  // they were not counted by split
  made.finished = pack(mill, plan_.recipe(), workers_, reporter_);
  return made;
}

}  // namespace

MadeSplits make_splits(const SplitPlan& plan, pipeline::Workers& workers, base::Reporter& reporter) {
  return SplitMaker(plan, workers, reporter).make();
}

}  // namespace shardmill::repack
