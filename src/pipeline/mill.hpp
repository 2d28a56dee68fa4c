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
#include "pipeline/intake/decode_helpers.hpp"
#include "pipeline/intake/intake.hpp"
#include "pipeline/key_set.hpp"
#include "pipeline/placing/key_claims.hpp"
#include "pipeline/placing/placing.hpp"
#include "pipeline/workers.hpp"
#include "source/unusable.hpp"

namespace shardmill::pipeline {

/// A run over only some of the input, for only some of the shards; others have the rest.
struct MillPart {
  std::uint32_t first_shard = 0;
  deal::Allowances allowances;  // of each dataset, or none
};

/// What one part held back for the shards of another.
struct HeldShare {
  std::string path;  // of the store
  std::vector<HeldPlacement> placements;
};

struct MillPlan {
  Inputs inputs;
  IntakeOptions intake;
  std::uint32_t interleave = 1;  // files of a stream that are open at a time
  std::uint64_t seed = 0;
  std::uint32_t shards = 1;
  std::optional<MillPart> part{};  // `shards` are its own
  bool hash_tars = true;           // a SHA-256 of each tar: where the tar itself is the result
  std::string work_folder;
  std::string fingerprint;  // of all that the result depends on; a journal of another one is not gone on with
  std::shared_ptr<const KeyClaims> claims{};  // where the source given first wins; null: nothing is claimed
  std::shared_ptr<const KeySet> taken{};      // keys that no sample can have any more; null: none
  std::vector<source::Unusable> unusable{};   // what cannot be read: recorded as left out
  CheckpointInterval checkpoints{};
};

/// One run over the input. All calls from one thread.
class Mill {
 public:
  Mill(const MillPlan& plan, Workers& workers, base::Reporter& reporter);

  /// Goes on from the journal in the work folder if there is one. Returns whether there was.
  bool resume();
  /// Reads all input; then deals what was held back. Every spool is whole, ended and synced afterwards. A
  /// part ends with a checkpoint before that: what it holds back is dealt with that of the others. Throws
  /// Error at the first bad sample or damage where the options say stop, and Interrupted; what was done is
  /// then in the journal as of the last checkpoint.
  void run();

  /// Of a part, resumed when all parts were read: gives its shards what all parts held back for them. Every
  /// spool is whole, ended and synced afterwards. Does nothing again that it did before.
  void complete(const std::vector<HeldShare>& shares);

  SpoolSet& spools() noexcept { return placing_.spools(); }
  const std::vector<ShardTally>& tallies() const noexcept { return placing_.tallies(); }
  const IntakeCounts& counts() const noexcept { return placing_.counts(); }

 private:
  void read_epoch();
  void check_taken() const;
  void save();

  const MillPlan& plan_;
  Workers& workers_;
  base::Reporter& reporter_;
  ByteBudget budget_;  // of all that is in flight, in the spools too
  DecodeHelpers helpers_;
  Feed feed_;
  Intake intake_;
  Placing placing_;
  Checkpoint checkpoint_;
  bool resumed_ = false;
  bool all_dealt_ = false;  // the held samples too
};

}  // namespace shardmill::pipeline
