// Admission: decides in order which utterances are taken, and under which key.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "pipeline/admission_state.hpp"
#include "pipeline/checkpoint/scratch_file.hpp"
#include "pipeline/known_samples.hpp"
#include "pipeline/measure.hpp"
#include "pipeline/mill_plan.hpp"
#include "shard/keys.hpp"

namespace shardmill::pipeline {

/// The hashes of all keys that were taken, 16 bytes each.
std::string key_log_path(const std::string& work_folder);
/// The sounds that were taken; see SoundSet.
std::string sound_log_path(const std::string& work_folder);
/// What was left out, as lines of rejects.jsonl.
std::string reject_log_path(const std::string& work_folder);

class Admission {
 public:
  /// Rejects and keys are logged in the work folder of the plan.
  Admission(const MillPlan& plan, base::Reporter& reporter);

  /// Appends nothing to `admitted`, the sample, or several copies of it. `file`: where the
  /// sample comes from. Throws Error where the options say to stop.
  void admit(Measured&& measured, std::vector<Utterance>& admitted, const FileNumber& file = {});
  /// Call it after the samples of a batch.
  void end_batch(const FileProgress& file);
  /// Records a sample that cannot be taken. Throws Error where the options say to stop.
  void leave_out(manifest::Reject&& reject);
  /// Takes a sample that another admission has admitted.
  void adopt(const Utterance& utterance);
  /// Takes a sample once more, that was taken before, under a key of its own.
  void admit_copy(Utterance& utterance);
  /// Leaves out a sample that was taken, so that all shards hold the same number.
  void leave_uneven(const Utterance& utterance);
  /// True when no more samples will be taken.
  /// Any thread may ask.
  bool full() const noexcept { return full_; }

  const IntakeCounts& counts() const noexcept { return counts_; }
  const shard::KeySet& keys() const noexcept { return keys_; }

  /// Makes the logs durable. After this, state() describes this very moment.
  void sync();
  AdmissionState state() const;
  void restore(AdmissionState&& saved);

 private:
  void admit_copies(Measured&& measured, std::vector<Utterance>& admitted);
  /// A copy is not compared with others by its sound.
  bool admit_utterance(Utterance&& utterance, bool is_copy, std::uint64_t lost,
                       std::vector<Utterance>& admitted);
  /// Why the sample cannot have its key; nullopt when it can be taken.
  std::optional<manifest::Reject> find_key_conflict(const Utterance& utterance) const;
  /// A reject that names the sample with the same sound; nullopt when no sample has it.
  std::optional<manifest::Reject> find_same_sound(const Utterance& utterance);
  void claim_key(Utterance& utterance);
  bool is_taken(const std::string& key) const;
  bool is_withheld(const manifest::SampleRecord& record) const;
  std::string free_key(const std::string& wanted);
  void check_split(const Utterance& utterance);
  void take_key(const std::string& key);
  void check_uniform(const manifest::SampleRecord& record);
  void read_keys();

  const MillPlan& plan_;
  const IntakeOptions& options_;
  base::Reporter& reporter_;
  shard::KeySet keys_;
  std::map<base::Xxh128, std::uint64_t>
      next_numbers_;  // the next number for samples that are renamed, by the hash of their key
  AppendLog key_log_;
  AppendLog reject_log_;
  std::optional<SoundSet> sounds_;  // none: audio is not compared
  UncheckedSamples unchecked_;
  IntakeCounts counts_;
  std::string first_taken_;  // the first sample and its form, where all samples must be like it
  std::atomic<bool> full_ = false;
};

}  // namespace shardmill::pipeline
