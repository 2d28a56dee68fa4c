// Checkpoint: makes the progress of a run durable from time to time, in a journal from which a killed run
// goes on. MillState: everything that a mill needs for that, besides what its admission saves.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/io/binary_fields.hpp"
#include "deal/dealer.hpp"
#include "pipeline/admission_state.hpp"
#include "pipeline/checkpoint/scratch_file.hpp"
#include "pipeline/intake/feed.hpp"
#include "pipeline/placing/split_keeper.hpp"
#include "pipeline/spool_set.hpp"
#include "shard/sample_packer.hpp"

namespace shardmill::pipeline {

struct MillState {
  bool all_read = false;   // the whole input has been read
  bool all_dealt = false;  // the held samples have been dealt, too
  std::vector<StreamPosition> positions;
  deal::DealerState dealer;
  std::vector<SpoolState> spools;
  std::vector<shard::ShardTally> tallies;
  std::vector<HeldStore::Entry> held;        // that are not in shards yet
  std::vector<std::uint32_t> held_shards{};  // where they go; empty: they are not dealt yet
  std::uint64_t given_back = 0;              // by each shard, see give_back(); 0: nothing was
  SplitState split;                          // of a run that makes several datasets
};

void put(base::BinaryWriter& out, const MillState& state);
/// Throws Error when the bytes are not what put() wrote.
MillState read_mill_state(base::BinaryReader& in);

/// Progress is made durable after this amount of input or time, whichever comes first.
struct CheckpointInterval {
  std::chrono::milliseconds time{20'000};
  std::uint64_t input_bytes = std::uint64_t{1'500} << 20;
};

/// All that a run must know to go on.
struct SavedRun {
  MillState mill;
  AdmissionState admission;
};

/// One thread at a time.
class Checkpoint {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  /// `fingerprint` says everything that the result depends on. A run with another one does not go on from the
  /// journal.
  Checkpoint(const CheckpointInterval& interval, const std::string& work_folder, std::string fingerprint,
             Clock clock = std::chrono::steady_clock::now);

  /// Tells that `bytes` more of the input were read.
  void count(std::uint64_t input_bytes) { bytes_ += input_bytes; }
  bool is_due() const;

  /// Writes the journal, which is durable on return. Everything that `run` describes must be durable before.
  void write(const SavedRun& run);
  /// nullopt when no run was interrupted here. Throws Error when the journal is damaged.
  std::optional<SavedRun> read() const;
  /// Counts from zero again.
  void begin_interval();

 private:
  CheckpointInterval interval_;
  std::string path_;
  std::string fingerprint_;
  Clock clock_;
  std::chrono::steady_clock::time_point begin_;
  std::uint64_t bytes_ = 0;  // read since the last journal
};

}  // namespace shardmill::pipeline
