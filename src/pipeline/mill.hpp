// Mill: the repack pipeline; from source files to spooled shards, in a work folder that survives a crash.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "pipeline/byte_budget.hpp"
#include "pipeline/in_flight.hpp"
#include "pipeline/intake/feed.hpp"
#include "pipeline/placing/admission.hpp"
#include "pipeline/placing/held_store.hpp"
#include "pipeline/placing/key_claims.hpp"
#include "pipeline/shard_tally.hpp"
#include "pipeline/spool_set.hpp"
#include "pipeline/workers.hpp"
#include "source/unusable.hpp"

namespace shardmill::pipeline {

/// When progress is made durable: whichever comes first.
struct CheckpointInterval {
  std::chrono::milliseconds time{20'000};
  std::uint64_t input_bytes = std::uint64_t{1'500} << 20;
};

/// A run over only some of the input, for only some of the shards; others have the rest.
struct MillPart {
  std::uint32_t first_shard = 0;
  deal::Allowances allowances;  // of each dataset, or none
};

/// Where a sample goes that was held back.
struct HeldPlacement {
  HeldStore::Entry entry;
  std::uint32_t shard = 0;  // of this mill
};

/// What one part held back for the shards of another.
struct HeldShare {
  std::string path;  // of the store
  std::vector<HeldPlacement> placements;
};

struct MillPlan {
  Inputs inputs;
  IntakeOptions intake;
  std::uint64_t seed = 0;
  std::uint32_t shards = 1;
  std::optional<MillPart> part{};  // `shards` are its own
  bool hash_tars = true;           // a SHA-256 of each tar: where the tar itself is the result
  std::string work_folder;
  std::string fingerprint;  // of all that the result depends on; a journal of another one is not gone on with
  std::shared_ptr<const KeyClaims> claims{};  // where the source given first wins; null: nothing is claimed
  std::vector<source::Unusable> unusable{};   // what cannot be read: recorded as left out
  CheckpointInterval checkpoints{};
};

/// One run over the input. All calls from one thread.
class Mill {
 public:
  Mill(const MillPlan& plan, Workers& workers, base::Reporter& reporter);
  ~Mill();

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

  SpoolSet& spools() noexcept { return spools_; }
  const std::vector<ShardTally>& tallies() const noexcept { return tallies_; }
  const IntakeCounts& counts() const noexcept { return admission_.counts(); }

 private:
  struct Batch;
  using Token = Batch*;  // one of in_flight_

  void read_epoch();
  Token take_in();
  std::uint64_t needed_for(const Feed::Item& item) const;
  void parse(Batch& batch);
  void measure_all(Batch& batch);
  std::uint32_t dataset_of(const Utterance& utterance, const InputStream& stream) const;
  void admit_all(Batch& batch);
  void place(Admission::Decision&& decision, Batch& batch);
  void write_all(Batch& batch);
  void read_again(OpenSource& source, const StreamPosition& position);
  void deal_rest();
  void place_held(const HeldStore& store, const std::vector<HeldPlacement>& placements);
  void end_tars();
  Error no_samples_left() const;

  std::uint32_t first_shard() const { return plan_.part ? plan_.part->first_shard : 0; }
  bool checkpoint_due() const;
  void checkpoint();

  const MillPlan& plan_;
  Workers& workers_;
  base::Reporter& reporter_;
  Feed feed_;
  std::optional<Feed::Item> waiting_{};  // until there is memory for it; none when an epoch ends for good
  Admission admission_;
  ByteBudget budget_;
  SpoolSet spools_;
  HeldStore held_;
  InFlight<Batch> in_flight_;
  std::vector<ShardTally> tallies_;
  bool resumed_ = false;
  bool all_dealt_ = false;  // the held samples too
  std::chrono::steady_clock::time_point checkpoint_time_;
  std::uint64_t bytes_since_checkpoint_ = 0;
};

}  // namespace shardmill::pipeline
