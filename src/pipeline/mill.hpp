// Mill: from source files to spooled shards, in a work folder that survives a crash.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "pipeline/byte_budget.hpp"
#include "pipeline/checkpoint/checkpoint.hpp"
#include "pipeline/intake/intake.hpp"
#include "pipeline/known_samples.hpp"
#include "pipeline/placing/placing.hpp"
#include "pipeline/workers.hpp"
#include "shard/keys.hpp"
#include "source/source_file.hpp"

namespace shardmill::pipeline {

/// A run over some of the input for some of the shards. Other parts have the rest.
struct MillPart {
  std::uint32_t first_shard = 0;
  deal::Allowances allowances;  // of each dataset, or none
};

/// The samples that one part held back for the shards of another.
struct HeldShare {
  std::string path;  // of the store
  std::vector<HeldPlacement> placements;
  std::vector<HeldStore::Entry> left_out{};  // of a split: so that all its shards hold the same number
};

struct MillPlan {
  Inputs inputs;
  IntakeOptions intake;
  std::uint32_t interleave = 1;  // files of a stream that are open at a time
  std::uint64_t seed = 0;
  deal::Even even = deal::Even::off;  // not for a part
  std::uint32_t shards = 1;
  std::optional<MillPart> part{};          // `shards` are its own
  bool hash_tars = true;                   // a SHA-256 of each tar: where the tar itself is the result
  std::optional<deal::SplitWish> split{};  // none: there is one dataset
  bool is_split = false;                   // it only gets samples that another mill has kept, and counts them
  std::string work_folder;
  std::string fingerprint;  // says all that the result depends on; a run does not go on from a journal with
                            // another one
  std::shared_ptr<const KeyClaims>
      claims{};  // for keys that several sources have, where the source given first wins; null: none
  std::shared_ptr<const shard::KeySet> taken{};     // keys that no sample can have any more; null: none
  std::shared_ptr<const shard::KeySet> withheld{};  // source keys of samples that stay out, see Admission
  std::shared_ptr<SoundSet> heard{};                // sounds that no sample can have any more; null: none
  std::vector<source::Unusable> unusable{};         // what cannot be read: recorded as left out
  std::vector<source::Promise> promises{};          // what archives should hold; not for a part
  CheckpointInterval checkpoints{};
};

/// No sample of the input is in the result.
class NoSamplesLeft : public Error {
 public:
  NoSamplesLeft(const Error& error, IntakeCounts counts) : Error(error), counts_(std::move(counts)) {}

  const IntakeCounts& counts() const noexcept { return counts_; }

 private:
  IntakeCounts counts_;
};

/// One run over the input. All calls from one thread.
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
