// Checkpoint: makes the progress of a run durable from time to time, in a journal from which a killed run
// goes on.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "pipeline/admission_state.hpp"
#include "pipeline/checkpoint/mill_state.hpp"

namespace shardmill::pipeline {

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
