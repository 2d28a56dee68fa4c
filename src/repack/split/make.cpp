#include "repack/split/make.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "deal/even.hpp"
#include "pipeline/journal.hpp"
#include "pipeline/pack_shards.hpp"
#include "repack/finish.hpp"
#include "repack/folder.hpp"

namespace shardmill::repack {

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
  const RepackPlan& train = plan_.train;
  pipeline::MillPlan how = plan_.mill(deal::kTrain);
  how.inputs = train.inputs;
  how.shards = train.shards;
  how.split = plan_.options.wish;
  how.fingerprint = plan_.fingerprint();
  how.unusable = train.sources.unusable;
  how.promises = train.sources.promises;
  if (train.recipe.intake.on_duplicate == pipeline::OnDuplicate::first)
    how.claims =
        pipeline::claims_of(train.inputs, train.recipe.intake, train.recipe.seed, workers_, reporter_);
  reporter_.progress().input_bytes_total = input_bytes(train);
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
  MadeSplit train{.name = deal::kTrain, .shards = plan_.train.shards, .counts = mill.counts_without_splits()};
  train.tallies = mill.tallies();
  reporter_.phase(plan_.recipe().codec == codec::Codec::none ? "recording" : "compressing");
  train.finished = finished_shards(
      mill.spools(),
      pipeline::pack_shards(mill.spools(), encoder_options(plan_.recipe()), workers_, reporter_));
  return train;
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
  pipeline::MillPlan how = plan_.mill(share.name);
  how.inputs.datasets = plan_.train.inputs.datasets;
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
  const auto packed =
      pipeline::pack_shards(mill.spools(), encoder_options(plan_.recipe()), workers_, reporter_);
  made.counts = mill.counts();
  made.counts.doubtful = train.counts().doubtful;  // they were not counted by split
  made.tallies = mill.tallies();
  made.finished = finished_shards(mill.spools(), packed);
  return made;
}

}  // namespace

MadeSplits make_splits(const SplitPlan& plan, pipeline::Workers& workers, base::Reporter& reporter) {
  return SplitMaker(plan, workers, reporter).make();
}

}  // namespace shardmill::repack
