// Mill: from source files to spooled shards, in a work folder that survives a crash.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "pipeline/byte_budget.hpp"
#include "pipeline/checkpoint/checkpoint.hpp"
#include "pipeline/intake/intake.hpp"
#include "pipeline/mill_plan.hpp"
#include "pipeline/placing/placing.hpp"
#include "pipeline/workers.hpp"
#include "shard/keys.hpp"

namespace shardmill::pipeline {

/// The samples that one part held back for the shards of another.
struct HeldShare {
  std::string path;  // of the store
  std::vector<HeldPlacement> placements;
  std::vector<HeldStore::Entry> left_out{};  // of a split: so that all its shards hold the same number
};

/// No sample of the input is in the result.
class NoSamplesLeft : public Error {
 public:
  NoSamplesLeft(const Error& error, IntakeCounts counts) : Error(error), counts_(std::move(counts)) {}

  const IntakeCounts& counts() const noexcept { return counts_; }

 private:
  IntakeCounts counts_;
};

/// One run over the input. The plan must outlive it. All calls from one thread.
class Mill {
 public:
  Mill(const MillPlan& plan, Workers& workers, base::Reporter& reporter);

  /// Goes on from the journal in the work folder if there is one. Returns whether there was.
  bool resume();
  /// Reads all input, then deals the held samples. Afterwards every spool is whole, ended and synced. A part
  /// ends with a checkpoint before the held samples are dealt, because they are dealt together with those of
  /// the other parts. Throws Error at the first bad sample or damage where the options say so, and
  /// Interrupted; the journal then has everything up to the last checkpoint.
  void run();

  /// For a part that is resumed after all parts were read: gives its shards the samples that all parts held
  /// back for them. Afterwards every spool is whole, ended and synced. Nothing is done twice.
  void complete(const std::vector<HeldShare>& shares);

  SpoolSet& spools() noexcept { return placing_.spools(); }
  const std::vector<shard::ShardTally>& tallies() const noexcept { return placing_.tallies(); }
  const IntakeCounts& counts() const noexcept { return placing_.counts(); }
  /// After run(): the samples that it has kept for other splits, in the file split_path(). counts() is of all
  /// splits.
  const std::vector<SplitKeeper::Share>& splits() const noexcept { return *splits_; }
  IntakeCounts counts_without_splits() const;
  const shard::KeySet& keys() const noexcept { return placing_.keys(); }

 private:
  void read_and_deal();
  void read_epoch();
  void leave_out_broken_promises();
  void check_taken() const;
  void warn_of_lost_datasets(const IntakeCounts& counts) const;
  void deal_rest();
  void give_back_for(deal::RestDeal& deal);
  void save();

  const MillPlan& plan_;
  Workers& workers_;
  base::Reporter& reporter_;
  ByteBudget budget_;  // of everything in flight, also in the spools
  OpenWindows windows_;
  IdleThreads threads_;
  Feed feed_;
  Intake intake_;
  Placing placing_;
  Checkpoint checkpoint_;
  const std::vector<SplitKeeper::Share>* splits_ = nullptr;
  bool resumed_ = false;
  bool all_dealt_ = false;        // the held samples, too
  std::uint64_t given_back_ = 0;  // by each shard
};

}  // namespace shardmill::pipeline
