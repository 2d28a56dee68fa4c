#include "pipeline/mill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/remote/object.hpp"
#include "base/text/units.hpp"
#include "deal/parts.hpp"
#include "pipeline/admission_state.hpp"
#include "pipeline/give_back.hpp"
#include "pipeline/input_checks.hpp"
#include "pipeline/intake/feed.hpp"
#include "pipeline/journal.hpp"
#include "pipeline/measure/rejects.hpp"

namespace shardmill::pipeline {

namespace {

/// One unit of input on its way through the stages.
struct Batch {
  IntakeBatch in;
  PlacedBatch out{};
};

Error no_samples_left(const IntakeCounts& counts, const std::vector<std::string>& subsets) {
  std::string reasons;
  for (const auto& [reason, count] : counts.left_out)
    reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", count, reason);
  if (!reasons.empty()) return Error("all samples were left out: " + reasons);
  if (subsets.empty()) return Error("the sources hold no samples");
  return Error(fmt::format("the sources hold no samples of the subset '{}'", printable(subsets.front())), {},
               "shardmill inspect says which subsets there are");
}

}  // namespace

Mill::Mill(const MillPlan& plan, Workers& workers, base::Reporter& reporter)
    : plan_(plan),
      workers_(workers),
      reporter_(reporter),
      budget_(workers.memory_bytes()),
      windows_(budget_, workers.memory_bytes(), workers.memory_bound(), plan.inputs.streams.size(), reporter),
      threads_(workers),
      feed_(plan.inputs.streams, plan.interleave, plan.intake.key_rule, &threads_,
            member_storage(workers.memory_bytes())),
      intake_(plan.inputs, plan.intake, feed_, workers.memory_bytes(), reporter, &windows_),
      placing_(plan, workers, reporter),
      checkpoint_(plan.checkpoints, plan.work_folder, plan.fingerprint) {}

void Mill::run() {
  try {
    read_and_deal();
  } catch (const base::SpoiledSource&) {
    base::remove_file(journal_path(plan_.work_folder));  // so that no run goes on with those bytes
    throw;
  }
}

void Mill::read_and_deal() {
  if (!resumed_) {
    for (const source::Unusable& unusable : plan_.unusable)
      placing_.leave_out(reject_of(unusable, plan_.intake.keys));
  }
  while (!all_dealt_ && !intake_.done() && !placing_.full()) {
    read_epoch();
    if (checkpoint_.is_due() || reporter_.stop_signal() != 0) save();
    reporter_.check_stop();
  }
  if (plan_.part) return save();
  if (!all_dealt_ && !placing_.is_rest_settled()) leave_out_broken_promises();
  if (const IntakeCounts& counts = placing_.counts(); counts.taken == 0) {
    placing_.sync(false);  // the caller may read why
    throw NoSamplesLeft(no_samples_left(counts, plan_.intake.tree.subsets), counts);
  }
  splits_ = &placing_.settle_splits();
  check_taken();
  if (!all_dealt_) deal_rest();
  placing_.end_tars();
}

void Mill::deal_rest() {
  reporter_.phase("dealing the rest");
  if (!placing_.is_rest_settled()) {
    deal::RestDeal deal = placing_.deal_rest();
    if (!deal.is_even() && given_back_ == 0) {
      save();
      give_back_for(deal);
    }
    placing_.settle_rest(deal, budget_);
  }
  // What is in the shards for good is no longer needed in the scratch file.
  while (placing_.place_some_rest(budget_)) {
    save();
    placing_.free_dealt();
  }
  all_dealt_ = true;
  save();
  placing_.free_dealt();
}

/// Takes samples out of the spools again if that makes a better deal than `deal`, and replaces that. The
/// journal must be up to date.
void Mill::give_back_for(deal::RestDeal& deal) {
  std::vector<std::string> datasets;
  for (const auto& input : plan_.inputs.datasets) datasets.push_back(input.name);
  const std::vector<deal::PartSamples> all{
      {.shards = read_dealt_samples(plan_.work_folder, datasets, plan_.shards),
       .held = placing_.held_samples()}};
  const std::uint64_t samples =
      deal::samples_to_give_back(all, datasets.size(), {.even = plan_.even, .seed = plan_.seed}, deal);
  if (samples == 0) return;
  reporter_.phase("making the shards even");
  give_back(plan_.work_folder, datasets, samples);
  auto run = checkpoint_.read();
  given_back_ = samples;
  placing_.restore(run->mill, std::move(run->admission));
  splits_ = &placing_.settle_splits();
  deal = placing_.deal_rest();
}

void Mill::leave_out_broken_promises() {
  if (plan_.promises.empty() || placing_.full()) return;
  placing_.sync(true);
  for (manifest::Reject& reject :
       broken_promises({.promises = plan_.promises, .datasets = plan_.inputs.datasets, .seed = plan_.seed},
                       plan_.intake, placing_.keys(), plan_.work_folder))
    placing_.leave_out(std::move(reject));
}

IntakeCounts Mill::counts_without_splits() const {
  IntakeCounts counts = placing_.counts();
  if (splits_->empty()) return counts;
  const auto store = HeldStore::open_read(split_path(plan_.work_folder));
  IntakeCounts kept;
  for (const SplitKeeper::Share& share : *splits_) {
    for (const HeldStore::Entry& entry : share.entries) {
      reporter_.check_stop();
      count(kept, store.read(entry));
    }
  }
  subtract(counts, kept);
  return counts;
}

void Mill::check_taken() const {
  const IntakeCounts& counts = placing_.counts();
  std::uint64_t taken = counts.taken;
  for (const SplitKeeper::Share& share : *splits_) taken -= share.entries.size();
  if (taken < plan_.shards) {
    throw Error(fmt::format("{} shards are too many: the sources give only {}{}", plan_.shards,
                            base::format_count(taken, "sample"), splits_->empty() ? "" : " to train on"),
                {}, fmt::format("ask for at most {}", base::format_count(taken, "shard")));
  }
  check_texts(plan_.inputs, counts, plan_.intake, reporter_);
  if (plan_.taken) return;  // of an update, nothing may be new
  const bool keeps_splits = plan_.split && plan_.split->by == deal::SplitBy::subset;
  if (!keeps_splits) check_subsets(counts, plan_.intake, reporter_);
  if (plan_.intake.limit == 0 && !plan_.intake.keys.are_any()) warn_of_lost_datasets(counts);
}

void Mill::warn_of_lost_datasets(const IntakeCounts& counts) const {
  for (const DatasetInput& dataset : plan_.inputs.datasets) {
    if (counts.texts.contains(dataset.name)) continue;
    reporter_.warn(Error(fmt::format("all samples of dataset '{}' were left out", printable(dataset.name)),
                         {}, "rejects.jsonl says why"));
  }
}

// Works on one stretch of the input. Nothing is in flight before and after it.
void Mill::read_epoch() {
  const auto take = [this]() -> std::optional<Costly<Batch>> {
    if (intake_.has_rest()) return Costly<Batch>{};
    if (reporter_.stop_signal() != 0 || placing_.full() || checkpoint_.is_due()) return std::nullopt;
    auto batch = intake_.next();
    if (!batch) return std::nullopt;
    checkpoint_.count(batch->item.unit.compressed_bytes);
    return Costly<Batch>{.item = {.in = std::move(batch->item)}, .bytes = batch->bytes};
  };
  const auto place = [this](Batch& batch) {
    if (!batch.in.source) return;
    placing_.place(batch.in.file, batch.in.consumed_bytes, std::move(batch.in.measured), batch.out);
  };
  const auto read = [&] {
    run_ordered<Batch>(
        {.items = workers_.items_in_flight(kUnitBytes), .budget = budget_}, workers_, take,
        on_all_threads([](Batch& batch) { Intake::prepare(batch.in); }),
        in_order([this](Batch& batch, BudgetShare& share) { intake_.parse(batch.in, share); }),
        on_all_threads([this](Batch& batch, BudgetShare& share) { intake_.measure(batch.in, share); }),
        in_order(place),
        on_all_threads([this](Batch& batch, BudgetShare& share) { placing_.write(batch.out, share); }));
  };
  read();
  while (intake_.has_rest()) read();
}

void Mill::complete(const std::vector<HeldShare>& shares) {
  if (!all_dealt_) {
    for (const HeldShare& share : shares) {
      const HeldStore store = HeldStore::open_read(share.path);
      placing_.leave_uneven(store, share.left_out);
      placing_.place_held(store, share.placements, budget_, plan_.is_split);
    }
    all_dealt_ = true;
    save();
  }
  placing_.end_tars();
}

void Mill::save() {
  // Held samples are read again until they are dealt. The other parts read those of a part, too.
  const bool is_held_needed = !all_dealt_ || plan_.part;
  placing_.sync(is_held_needed);
  SavedRun run{.mill = {.all_read = all_dealt_ || intake_.done() || placing_.full(),
                        .all_dealt = all_dealt_,
                        .positions = intake_.positions(),
                        .dealer = {},
                        .spools = {},
                        .tallies = {},
                        .held = {},
                        .held_shards = {},
                        .given_back = given_back_,
                        .split = {}},
               .admission = placing_.admission_state()};
  placing_.save(run.mill, is_held_needed);
  checkpoint_.write(run);
}

bool Mill::resume() {
  auto run = checkpoint_.read();
  if (!run) return false;
  all_dealt_ = run->mill.all_dealt;
  given_back_ = run->mill.given_back;
  reporter_.phase("checking what the last run left");
  placing_.restore(run->mill, std::move(run->admission));
  for (const StreamPosition& position : run->mill.positions)
    reporter_.progress().input_bytes += position.consumed_bytes;
  reporter_.phase("going on where the last run stopped");
  intake_.restore(run->mill.positions, workers_);
  reporter_.phase("");
  resumed_ = true;
  checkpoint_.begin_interval();
  return true;
}

}  // namespace shardmill::pipeline
