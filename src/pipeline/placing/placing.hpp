// Placing: which shard takes each measured sample, and the scratch files that it is written to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "deal/dealer.hpp"
#include "deal/even.hpp"
#include "pipeline/admission_state.hpp"
#include "pipeline/checkpoint/checkpoint.hpp"
#include "pipeline/checkpoint/scratch_file.hpp"
#include "pipeline/mill_plan.hpp"
#include "pipeline/placing/admission.hpp"
#include "pipeline/placing/split_keeper.hpp"
#include "pipeline/spool_set.hpp"
#include "pipeline/workers.hpp"
#include "shard/sample_packer.hpp"

namespace shardmill::pipeline {

/// Where a held sample goes.
struct HeldPlacement {
  HeldStore::Entry entry;
  std::uint32_t shard = 0;  // number in this run
  bool is_copy = false;     // the sample is taken once more
};

/// Samples that have their place, and are still to be written.
struct PlacedBatch {
  struct Placed {
    Utterance utterance;
    std::optional<HeldStore::Entry> held;  // none: the sample goes to its shard
    bool is_candidate = false;             // it is held for the splits
  };
  std::vector<Placed> samples;
};

class Placing {
 public:
  Placing(const MillPlan& plan, Workers& workers, base::Reporter& reporter);

  /// Records a source that cannot be read. Throws Error where the options say to stop.
  void leave_out(manifest::Reject&& reject) { admission_.leave_out(std::move(reject)); }
  /// Gives each sample its place. Call it in order, from one thread at a time. `file` is where they come
  /// from, and `consumed_bytes` says how much of its stream was read. Throws Error where the options say to
  /// stop.
  void place(const FileProgress& file, std::uint64_t consumed_bytes, std::vector<Measured>&& measured,
             PlacedBatch& batch);
  /// Writes the samples to their places. Any thread may call it.
  void write(PlacedBatch& batch, BudgetShare& share);
  /// True when no more samples will be taken. Any thread may ask.
  bool full() const noexcept { return admission_.full(); }

  /// Once all input was read: the samples that wait for the end, and a deal of them.
  std::vector<deal::HeldSample> held_samples() const;
  deal::RestDeal deal_rest() const;
  /// Settles where they go. Throws Error if the user wants equal numbers and the deal has others.
  void settle_rest(const deal::RestDeal& deal, ByteBudget& budget);
  /// True from then on, in a resumed run, too.
  bool is_rest_settled() const noexcept { return !held_shards_.empty(); }
  /// Writes a part of them to their shards. Returns false when all are there. Then, or after the journal was
  /// written, free_dealt() may give back the space that they took.
  bool place_some_rest(ByteBudget& budget);
  void free_dealt() const noexcept;
  /// The samples of other splits, once all input was read. Empty without other splits. Throws Error when the
  /// amounts cannot be reached.
  const std::vector<SplitKeeper::Share>& settle_splits();
  /// Takes held samples that another run has admitted, and leaves them out again so that all shards hold the
  /// same number.
  void leave_uneven(const HeldStore& store, const std::vector<HeldStore::Entry>& entries);
  /// Writes held samples, of this or another part of the run, to their shards.
  /// `adopts`: another run has admitted them, and they belong to this one.
  void place_held(const HeldStore& store, const std::vector<HeldPlacement>& placements, ByteBudget& budget,
                  bool adopts = false);
  /// Ends the tars and syncs them. A resumed run may do this again.
  void end_tars();

  /// Makes all samples in shards durable, and the held ones if `is_held_needed`.
  void sync(bool is_held_needed);
  /// Call sync() first.
  void save(MillState& state, bool is_held_needed) const;
  AdmissionState admission_state() const { return admission_.state(); }
  /// Goes on from there. Throws Error when scratch files have changed.
  void restore(MillState& state, AdmissionState&& admission);

  SpoolSet& spools() noexcept { return spools_; }
  const std::vector<shard::ShardTally>& tallies() const noexcept { return tallies_; }
  const IntakeCounts& counts() const noexcept { return admission_.counts(); }
  const shard::KeySet& keys() const noexcept { return admission_.keys(); }

 private:
  void progress(std::uint32_t stream, std::uint64_t consumed_bytes);
  /// Where an admitted sample goes: to a shard, to the samples that are held until the end, or to those that
  /// may belong to another split.
  void choose(Utterance&& utterance, PlacedBatch& batch);
  void to_shard(Utterance&& utterance, std::uint32_t shard, PlacedBatch& batch);
  void place_at_once(const deal::RestDeal& deal, ByteBudget& budget);
  std::vector<HeldStore::Entry> held_entries() const;
  const HeldStore& store_of(std::size_t number) const;

  deal::EvenWish even() const { return {.even = plan_.even, .seed = plan_.seed}; }
  std::uint32_t first_shard() const { return plan_.part ? plan_.part->first_shard : 0; }

  const MillPlan& plan_;
  Workers& workers_;
  base::Reporter& reporter_;
  Admission admission_;
  deal::Dealer dealer_;
  std::vector<std::uint64_t> consumed_bytes_;  // of each stream
  std::vector<std::uint64_t> stream_bytes_;    // of each stream, in all
  SpoolSet spools_;
  HeldStore held_;
  std::vector<std::uint32_t> held_shards_;  // of each sample in held_, once it is settled
  std::size_t dealt_ = 0;                   // how many of these are in their shards
  std::optional<SplitKeeper> keeper_;
  std::vector<shard::ShardTally> tallies_;
};

}  // namespace shardmill::pipeline
