#include "pipeline/placing/placing.hpp"

#include <algorithm>
#include <utility>

#include "archive/tar_header.hpp"
#include "pipeline/intake/source_reader.hpp"
#include "pipeline/ordered.hpp"

namespace shardmill::pipeline {

namespace {

// Freeing the space of held samples is not worth the journals where they are the whole input, and take no
// more than this,
constexpr std::uint64_t kHeldBytesToKeep = std::uint64_t{96} << 20;
// and otherwise in steps of at least this.
constexpr std::uint64_t kHeldStepBytes = std::uint64_t{8} << 20;

deal::Allowances allowances_of(const MillPlan& plan) {
  return plan.part ? plan.part->allowances : deal::Allowances{};
}

}  // namespace

Placing::Placing(const MillPlan& plan, Workers& workers, base::Reporter& reporter)
    : plan_(plan),
      workers_(workers),
      reporter_(reporter),
      admission_(plan, reporter),
      dealer_(plan.shards, static_cast<std::uint32_t>(plan.inputs.datasets.size()), allowances_of(plan)),
      consumed_bytes_(plan.inputs.streams.size(), 0),
      spools_(plan.work_folder + "/spool", plan.shards, plan.hash_tars, workers),
      held_(held_path(plan.work_folder)),
      tallies_(plan.shards) {
  for (const InputStream& stream : plan.inputs.streams) stream_bytes_.push_back(stream.bytes());
  if (plan.split) keeper_.emplace(*plan.split, plan.seed, plan.work_folder);
  for (shard::ShardTally& tally : tallies_) tally.datasets.resize(plan.inputs.datasets.size());
}

void Placing::place(const FileProgress& file, std::uint64_t consumed_bytes, std::vector<Measured>&& measured,
                    PlacedBatch& batch) {
  progress(file.number.stream, consumed_bytes);
  std::vector<Utterance> admitted;
  for (Measured& one : measured) {
    admission_.admit(std::move(one), admitted, file.number);
    for (Utterance& utterance : admitted) choose(std::move(utterance), batch);
    admitted.clear();
  }
  measured.clear();
  admission_.end_batch(file);
}

/// Tells the dealer how much of a stream was read, before it deals the samples that were read.
void Placing::progress(std::uint32_t stream, std::uint64_t consumed_bytes) {
  const auto& streams = plan_.inputs.streams;
  consumed_bytes_[stream] = consumed_bytes;
  for (const std::uint32_t dataset : streams[stream].datasets) {
    std::uint64_t consumed = 0;
    std::uint64_t total = 0;
    for (std::size_t other = 0; other < streams.size(); ++other) {
      const auto& held = streams[other].datasets;
      if (std::find(held.begin(), held.end(), dataset) == held.end()) continue;
      consumed += consumed_bytes_[other];
      total += stream_bytes_[other];
    }
    dealer_.progress(dataset, consumed, total);
  }
}

void Placing::choose(Utterance&& utterance, PlacedBatch& batch) {
  const deal::HeldSample sample{.dataset = utterance.dataset,
                                .duration = duration_of(utterance.record.audio)};
  if (keeper_) {
    if (const auto group = keeper_->group_to_keep(utterance)) {
      const HeldStore::Entry place = keeper_->reserve(*group, sample, serialised_bytes(utterance));
      batch.samples.push_back({.utterance = std::move(utterance), .held = place, .is_candidate = true});
      return;
    }
  }
  // A limit makes the rest of the input unknown; few samples are taken then, so all may wait for the end.
  const auto shard = plan_.intake.limit != 0 ? std::nullopt : dealer_.deal(sample.dataset, sample.duration);
  if (shard) return to_shard(std::move(utterance), *shard, batch);
  const std::size_t number = held_.reserve(sample, serialised_bytes(utterance));
  batch.samples.push_back({.utterance = std::move(utterance), .held = held_.entries()[number]});
}

void Placing::to_shard(Utterance&& utterance, std::uint32_t shard, PlacedBatch& batch) {
  utterance.record.shard_id = first_shard() + shard;
  const std::uint64_t offset = spools_.reserve(shard, utterance.packed.bytes.size());
  utterance.record.tar_offset = offset + utterance.packed.audio_offset;
  tallies_[shard].add(utterance.dataset, duration_of(utterance.record.audio), utterance.has_text);
  batch.samples.push_back({.utterance = std::move(utterance), .held = std::nullopt});
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
    spools_.append(static_cast<std::uint32_t>(utterance.record.shard_id) - first_shard(), offset,
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
  return deal::deal_evenly(dealer_.holdings(), held_samples(), even());
}

void Placing::settle_rest(const deal::RestDeal& deal, ByteBudget& budget) {
  deal::check_equal(deal, even());
  // Samples that are left out, or taken twice, or kept in another file are needed to the end.
  const bool is_simple = !keeper_ && deal.left_out.empty() && deal.repeated.empty();
  if (!is_simple) return place_at_once(deal, budget);
  held_shards_.resize(deal.placed.size());
  for (const auto& [number, shard] : deal.placed) held_shards_[number] = shard;
}

// The space that held samples take is freed in steps, and each step costs a journal: held samples take a
// small share of a large output, so that then there are few steps.
bool Placing::place_some_rest(ByteBudget& budget) {
  constexpr std::uint64_t kShareOfOutput = 48;
  const std::vector<HeldStore::Entry>& held = held_.entries();
  if (!is_rest_settled() || dealt_ == held.size()) return false;
  const std::uint64_t held_end = held.back().offset + held.back().bytes;
  std::uint64_t output_bytes = 0;
  for (std::uint32_t shard = 0; shard < spools_.size(); ++shard) output_bytes += spools_.tar_bytes(shard);
  const bool is_small = output_bytes == 0 && held_end <= kHeldBytesToKeep;
  const std::uint64_t least_bytes =
      std::min(is_small ? kHeldBytesToKeep : kHeldStepBytes, plan_.checkpoints.input_bytes);
  output_bytes += held_end - held[dealt_].offset;
  const std::uint64_t step_bytes = std::max(least_bytes, output_bytes / kShareOfOutput);
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
                      to_shard(std::move(held.utterance), held.placement->shard, held.batch);
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
  state.dealer = dealer_.state();
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
  dealer_ = deal::Dealer(state.dealer, allowances_of(plan_));
  spools_.restore(state.spools, [this] { reporter_.check_stop(); });
  tallies_ = std::move(state.tallies);
  held_.restore(std::move(state.held));
  held_shards_ = std::move(state.held_shards);
  dealt_ = 0;
  if (keeper_) keeper_->restore(std::move(state.split));
  for (std::size_t stream = 0; stream < state.positions.size(); ++stream)
    consumed_bytes_[stream] = state.positions[stream].consumed_bytes;
}

}  // namespace shardmill::pipeline
