#include "pipeline/placing/placing.hpp"

#include <algorithm>
#include <utility>

#include "archive/tar_header.hpp"
#include "pipeline/intake/source_reader.hpp"
#include "pipeline/ordered.hpp"

namespace shardmill::pipeline {

Placing::Placing(const PlacingPlan& plan, Workers& workers, base::Reporter& reporter)
    : even_({.even = plan.even, .seed = plan.seed}),
      first_shard_(plan.first_shard),
      held_step_bytes_(plan.held_step_bytes),
      workers_(workers),
      reporter_(reporter),
      admission_(plan.inputs, plan.intake, plan.seed, plan.shards, plan.allowances, plan.work_folder,
                 plan.claims, plan.taken, plan.heard, reporter),
      spools_(plan.work_folder + "/spool", plan.shards, plan.hash_tars, workers),
      held_(held_path(plan.work_folder)),
      tallies_(plan.shards) {
  if (plan.withheld != nullptr) admission_.keep_out(*plan.withheld);
  if (plan.split) {
    keeper_.emplace(*plan.split, plan.seed, plan.work_folder);
    admission_.keep_for_splits(*keeper_);
  }
  for (shard::ShardTally& tally : tallies_) tally.datasets.resize(plan.inputs.datasets.size());
}

void Placing::place(const FileProgress& file, std::uint64_t consumed_bytes, std::vector<Measured>&& measured,
                    PlacedBatch& batch) {
  admission_.progress(file.number.stream, consumed_bytes);
  std::vector<Admission::Decision> decisions;
  for (Measured& one : measured) {
    admission_.admit(std::move(one), decisions, file.number);
    for (Admission::Decision& decision : decisions) place_one(std::move(decision), batch);
    decisions.clear();
  }
  measured.clear();
  admission_.end_batch(file);
}

void Placing::place_one(Admission::Decision&& decision, PlacedBatch& batch) {
  PlacedBatch::Placed placed{.utterance = std::move(decision.utterance), .held = std::nullopt};
  Utterance& utterance = placed.utterance;
  const auto duration = duration_of(utterance.record.audio);
  if (decision.group) {
    placed.held = keeper_->reserve(*decision.group, {.dataset = utterance.dataset, .duration = duration},
                                   serialised_bytes(utterance));
    placed.is_candidate = true;
  } else if (!decision.shard) {
    const std::size_t number =
        held_.reserve({.dataset = utterance.dataset, .duration = duration}, serialised_bytes(utterance));
    placed.held = held_.entries()[number];
  } else {
    utterance.record.shard_id = first_shard_ + *decision.shard;
    const std::uint64_t offset = spools_.reserve(*decision.shard, utterance.packed.bytes.size());
    utterance.record.tar_offset = offset + utterance.packed.audio_offset;
    tallies_[*decision.shard].add(utterance.dataset, duration, utterance.has_text);
  }
  batch.samples.push_back(std::move(placed));
}

void Placing::write(PlacedBatch& batch, BudgetShare& share) {
  for (PlacedBatch::Placed& placed : batch.samples) {
    Utterance& utterance = placed.utterance;
    reporter_.progress().output_bytes += utterance.packed.bytes.size();
    if (placed.held) {
      base::BinaryWriter out;
      put(out, utterance);
      (placed.is_candidate ? keeper_->store() : held_).write(*placed.held, out.bytes());
      continue;
    }
    std::string line;
    append_line(line, utterance.record);
    const std::uint64_t offset = utterance.record.tar_offset - utterance.packed.audio_offset;
    BudgetShare own = share.split(utterance.packed.bytes.size());
    spools_.append(static_cast<std::uint32_t>(utterance.record.shard_id) - first_shard_, offset,
                   std::move(utterance.packed.bytes), std::move(line), std::move(own));
  }
}

// What was kept for the splits and is not needed comes first, because samples that shards give back come
// last.
std::vector<HeldStore::Entry> Placing::held_entries() const {
  std::vector<HeldStore::Entry> held;
  if (keeper_) held = keeper_->rest();
  held.insert(held.end(), held_.entries().begin(), held_.entries().end());
  return held;
}

const HeldStore& Placing::store_of(std::size_t number) const {
  return keeper_ && number < keeper_->rest().size() ? keeper_->store() : held_;
}

std::vector<deal::HeldSample> Placing::held_samples() const {
  std::vector<deal::HeldSample> samples;
  for (const HeldStore::Entry& entry : held_entries()) samples.push_back(entry.sample);
  return samples;
}

deal::RestDeal Placing::deal_rest() const {
  return deal::deal_evenly(admission_.dealer().holdings(), held_samples(), even_);
}

void Placing::settle_rest(const deal::RestDeal& deal, ByteBudget& budget) {
  deal::check_equal(deal, even_);
  // Samples that are left out, or taken twice, or kept in another file are needed to the end.
  const bool is_simple = !keeper_ && deal.left_out.empty() && deal.repeated.empty();
  if (!is_simple) return place_at_once(deal, budget);
  held_shards_.resize(deal.placed.size());
  for (const auto& [number, shard] : deal.placed) held_shards_[number] = shard;
}

// The space that held samples take is freed in steps, and each step costs a journal: held samples take a
// small share of a large output, so that then there are few steps.
bool Placing::place_some_rest(ByteBudget& budget) {
  constexpr std::uint64_t kShareOfOutput = 64;
  const std::vector<HeldStore::Entry>& held = held_.entries();
  if (!is_rest_settled() || dealt_ == held.size()) return false;
  std::uint64_t output_bytes = held.back().offset + held.back().bytes - held[dealt_].offset;
  for (std::uint32_t shard = 0; shard < spools_.size(); ++shard) output_bytes += spools_.tar_bytes(shard);
  const std::uint64_t step_bytes = std::max(held_step_bytes_, output_bytes / kShareOfOutput);
  std::vector<HeldPlacement> placements;
  for (std::uint64_t bytes = 0; dealt_ < held.size() && bytes < step_bytes; ++dealt_) {
    placements.push_back({.entry = held[dealt_], .shard = held_shards_[dealt_]});
    bytes += held[dealt_].bytes;
  }
  place_held(held_, placements, budget);
  return dealt_ < held.size();
}

void Placing::free_dealt() const noexcept {
  if (dealt_ > 0) held_.free_before(held_.entries()[dealt_ - 1].offset + held_.entries()[dealt_ - 1].bytes);
}

void Placing::place_at_once(const deal::RestDeal& deal, ByteBudget& budget) {
  const std::vector<HeldStore::Entry> held = held_entries();
  for (const std::uint32_t number : deal.left_out)
    admission_.leave_uneven(store_of(number).read(held[number]));
  const auto place = [&](const HeldStore& store, bool copies) {
    std::vector<HeldPlacement> placements;
    for (const auto& [number, shard] : copies ? deal.repeated : deal.placed) {
      if (&store_of(number) == &store)
        placements.push_back({.entry = held[number], .shard = shard, .is_copy = copies});
    }
    place_held(store, placements, budget);
  };
  for (const bool copies : {false, true}) {
    place(held_, copies);
    if (keeper_) place(keeper_->store(), copies);
  }
}

const std::vector<SplitKeeper::Share>& Placing::settle_splits() {
  static const std::vector<SplitKeeper::Share> kNone{};
  if (!keeper_) return kNone;
  keeper_->settle();
  return keeper_->shares();
}

void Placing::leave_uneven(const HeldStore& store, const std::vector<HeldStore::Entry>& entries) {
  for (const HeldStore::Entry& entry : entries) {
    const Utterance utterance = store.read(entry);
    admission_.adopt(utterance);
    admission_.leave_uneven(utterance);
  }
}

// Held samples are read from the scratch files, in the order in which they came.
void Placing::place_held(const HeldStore& store, const std::vector<HeldPlacement>& placements,
                         ByteBudget& budget, bool adopts) {
  struct Held {
    const HeldPlacement* placement = nullptr;
    Utterance utterance{};
    PlacedBatch batch{};
  };
  auto next = placements.begin();
  const auto take = [&]() -> std::optional<Costly<Held>> {
    reporter_.check_stop();
    if (next == placements.end()) return std::nullopt;
    const HeldPlacement& placement = *next++;
    // It is in memory twice: as it is read, and as it is taken apart.
    return Costly<Held>{.item = {.placement = &placement}, .bytes = 2 * placement.entry.bytes};
  };
  run_ordered<Held>({.items = workers_.items_in_flight(kUnitBytes), .budget = budget}, workers_, take,
                    on_all_threads([&](Held& held) { held.utterance = store.read(held.placement->entry); }),
                    in_order([&](Held& held) {
                      if (held.placement->is_copy) {
                        admission_.admit_copy(held.utterance);
                      } else if (adopts) {
                        admission_.adopt(held.utterance);
                      }
                      place_one({.utterance = std::move(held.utterance), .shard = held.placement->shard},
                                held.batch);
                    }),
                    on_all_threads([&](Held& held, BudgetShare& share) { write(held.batch, share); }));
}

// A resumed run finds spools that were cut back to before their end blocks.
void Placing::end_tars() {
  const auto end_one = [this](std::size_t index) {
    const auto shard = static_cast<std::uint32_t>(index);
    if (spools_.is_packed(shard)) {
      spools_.skip(shard, archive::kTarEndBytes);
      return;
    }
    Bytes end;
    archive::append_end(end);
    const std::uint64_t offset = spools_.reserve(shard, end.size());
    spools_.append(shard, offset, std::move(end), {}, {});
  };
  workers_.for_each(spools_.size(), end_one);
  spools_.sync();
}

void Placing::sync(bool is_held_needed) {
  admission_.sync();
  spools_.sync();
  if (is_held_needed) held_.sync();
  if (keeper_) keeper_->sync();
}

void Placing::save(MillState& state, bool is_held_needed) const {
  state.spools = spools_.states();
  state.tallies = tallies_;
  if (is_held_needed) {
    const auto dealt = static_cast<std::ptrdiff_t>(dealt_);
    state.held.assign(held_.entries().begin() + dealt, held_.entries().end());
    if (is_rest_settled()) state.held_shards.assign(held_shards_.begin() + dealt, held_shards_.end());
  }
  if (keeper_) state.split = keeper_->state();
}

void Placing::restore(MillState& state, AdmissionState&& admission) {
  admission_.restore(std::move(admission));
  spools_.restore(state.spools, [this] { reporter_.check_stop(); });
  tallies_ = std::move(state.tallies);
  held_.restore(std::move(state.held));
  held_shards_ = std::move(state.held_shards);
  dealt_ = 0;
  if (keeper_) keeper_->restore(std::move(state.split));
  for (std::size_t stream = 0; stream < state.positions.size(); ++stream)
    admission_.restore_progress(static_cast<std::uint32_t>(stream), state.positions[stream].consumed_bytes);
}

}  // namespace shardmill::pipeline
