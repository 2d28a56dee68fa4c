// Admission: decides in order which utterances are taken, under which key, and to which shard they go.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "deal/dealer.hpp"
#include "pipeline/admission_state.hpp"
#include "pipeline/checkpoint/scratch_file.hpp"
#include "pipeline/intake/feed.hpp"
#include "pipeline/intake_options.hpp"
#include "pipeline/known_samples.hpp"
#include "pipeline/measure.hpp"
#include "pipeline/placing/split_keeper.hpp"
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
  struct Decision {
    Utterance utterance;
    std::optional<std::uint32_t> shard;   // none: held back until the end
    std::optional<base::Xxh128> group{};  // it may belong to another split
  };

  /// Rejects and keys are logged in `folder`. `claims`: null where no key is known beforehand.
  /// `taken`, `heard`: keys and sounds that others have, who are not among the inputs; null: none.
  Admission(const Inputs& inputs, const IntakeOptions& options, std::uint64_t seed, std::uint32_t shards,
            const deal::Allowances& allowances, const std::string& folder, const KeyClaims* claims,
            const shard::KeySet* taken, SoundSet* heard, base::Reporter& reporter);

  /// From now on, samples whose withheld_key() or withheld_speaker() is in `withheld` are left out: they were
  /// removed from the dataset. It must outlive this.
  void keep_out(const shard::KeySet& withheld) { withheld_ = &withheld; }
  /// From now on, samples that may belong to other splits are not dealt. `keeper` must outlive this.
  void keep_for_splits(SplitKeeper& keeper) { keeper_ = &keeper; }
  /// Tells how much of a stream was read. Call it before the samples that were read are admitted.
  void progress(std::uint32_t stream, std::uint64_t consumed_bytes);
  /// Tells what progress() told before the journal was written, so that the next call can go on from it.
  void restore_progress(std::uint32_t stream, std::uint64_t consumed_bytes);
  /// Appends its decisions to `decisions`. `file`: where the sample comes from. Throws Error where the
  /// options say to stop.
  void admit(Measured&& measured, std::vector<Decision>& decisions, const FileNumber& file = {});
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

  const deal::Dealer& dealer() const noexcept { return dealer_; }
  const IntakeCounts& counts() const noexcept { return counts_; }
  const shard::KeySet& keys() const noexcept { return keys_; }

  /// Makes the logs durable. After this, state() describes this very moment.
  void sync();
  AdmissionState state() const;
  void restore(AdmissionState&& saved);

 private:
  void admit_copies(Measured&& measured, std::vector<Decision>& decisions);
  /// A copy is not compared with others by its sound.
  void admit_utterance(Utterance&& utterance, bool is_copy, std::vector<Decision>& decisions);
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

  const Inputs& inputs_;
  std::vector<std::uint64_t> consumed_bytes_;  // of each stream
  std::vector<std::uint64_t> stream_bytes_;    // of each stream, in all
  const IntakeOptions& options_;
  std::uint64_t seed_;
  deal::Allowances allowances_;
  const KeyClaims* claims_;
  const shard::KeySet* taken_;
  const shard::KeySet* withheld_ = nullptr;
  SoundSet* heard_;
  SplitKeeper* keeper_ = nullptr;
  base::Reporter& reporter_;
  deal::Dealer dealer_;
  shard::KeySet keys_;
  std::map<base::Xxh128, std::uint64_t>
      next_numbers_;  // the next number for samples that are renamed, by the hash of their key
  AppendLog key_log_;
  AppendLog reject_log_;
  std::optional<SoundSet> sounds_;  // none: audio is not compared
  std::string key_log_path_;
  UncheckedSamples unchecked_;
  IntakeCounts counts_;
  std::string first_taken_;  // the first sample and its form, where all samples must be like it
  std::atomic<bool> full_ = false;
};

}  // namespace shardmill::pipeline
