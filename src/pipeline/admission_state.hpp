// AdmissionState: what has been taken and left out, and how far the deal is, as plain values for a journal.
// Counts of the samples that are taken: what each adds to the counts of a dataset, and how it is taken out of
// them again; and how many were taken before a checksum confirmed them.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/io/binary_fields.hpp"
#include "manifest/dataset_record.hpp"
#include "pipeline/checkpoint/scratch_file.hpp"
#include "pipeline/source_item.hpp"
#include "pipeline/utterance.hpp"
#include "source/missing_text.hpp"

namespace shardmill::pipeline {

/// The properties that decide whether a trainer reads two utterances in the same way.
struct AudioForm {
  std::string format;
  std::uint32_t sample_rate = 0;
  std::uint32_t channels = 0;

  auto operator<=>(const AudioForm&) const = default;
};

struct AudioAmount {
  std::uint64_t samples = 0;
  std::chrono::nanoseconds duration{};
};

/// Samples of archives that have no transcript. Of other corpora that is known before they are read.
struct Textless {
  std::uint64_t samples = 0;
  std::string first;   // key
  std::string source;  // that it is from
};

/// Samples of published corpora that lack a fact which a file of their own tells.
struct Factless {
  std::uint64_t samples = 0;
  std::string first;   // key
  std::string source;  // that it is from
  std::string fact;    // "gender"
  std::string teller;  // the file that tells it
};

/// Members that shards of nothing but audio have no place for, and that no manifest line tells.
struct LeftMembers {
  std::uint64_t samples = 0;                        // that have such members
  std::map<std::string, std::uint64_t> extensions;  // how many samples have one of each

  /// `of_sample`: the extensions of its members; may be empty.
  void add(const std::vector<std::string>& of_sample);
};

/// What was done so that all shards hold the same number of samples.
struct Evened {
  std::uint64_t left_out = 0;  // samples that were taken before
  std::chrono::nanoseconds left_out_duration{};
  std::uint64_t repeated = 0;  // samples that were taken once more
  std::chrono::nanoseconds repeated_duration{};
  std::map<std::string, std::vector<std::string>> repeated_keys;  // in the sources, by dataset
};

/// How much was taken and how much was left out, and why.
struct IntakeCounts {
  std::uint64_t taken = 0;
  std::uint64_t errors = 0;                       // rejects that do not come from a filter or a policy
  std::map<std::string, std::uint64_t> left_out;  // by reason
  std::map<std::string, std::uint64_t> warnings;  // by kind
  std::map<std::string, TextCount> texts;         // of the samples taken, by dataset
  std::map<std::string, Textless> textless;       // of the samples taken, by dataset
  std::map<std::string, Factless> factless;       // the same
  /// Of the samples taken, by dataset and subset; some belong to several subsets.
  std::map<std::string, std::map<std::string, AudioAmount>> subsets;
  /// Of published corpora, by split: the first sample of each that was taken, in words.
  std::map<std::string, std::string> splits;
  std::uint64_t texts_cleaned = 0;  // of the samples taken; see shard::is_unclean()
  std::uint64_t audio_bytes = 0;
  std::map<AudioForm, AudioAmount> forms;
  std::uint64_t reencoded = 0;        // of the samples taken
  std::uint64_t clipped_samples = 0;  // samples with values beyond full scale when they were converted
  std::uint64_t clipped_values = 0;
  LeftMembers left_members;
  Evened evened;
  std::vector<manifest::DatasetRecord::Doubt> doubtful;  // in the order in which the damage was met
};

/// Samples of one file that were taken, though no checksum has confirmed them yet.
struct Unchecked {
  std::uint64_t from = 0;  // where they begin in the plain bytes
  std::uint64_t samples = 0;
  /// Damage was met: samples that end in this range are in doubt, and belong to this one of
  /// IntakeCounts::doubtful. Empty: there was none.
  std::uint64_t doubtful_begin = 0;
  std::uint64_t doubtful_end = 0;
  std::uint64_t doubt = 0;
};

struct AdmissionState {
  FileMark key_log;
  FileMark reject_log;
  FileMark sound_log{};
  /// The first sample that was taken. Later ones are compared with it when all must be alike.
  std::string first_taken{};
  std::map<FileNumber, Unchecked> unchecked{};
  IntakeCounts counts;
};

void put(base::BinaryWriter& out, const AdmissionState& state);
/// Throws Error when the bytes are not what put() wrote.
AdmissionState read_admission_state(base::BinaryReader& in);

/// The sum over several parts of one run.
IntakeCounts sum(const std::vector<IntakeCounts>& parts);

/// Counts a sample that is taken.
void count(IntakeCounts& counts, const Utterance& utterance);

/// Takes out the counts of taken samples: `part` is the result of count() for them. The counts of samples
/// that were left out, and warnings, stay.
void subtract(IntakeCounts& counts, const IntakeCounts& part);

/// Counts the samples of each open file that were taken before the checksum of their stream was seen.
/// The pieces of several files come in turns, each with its samples: those of one piece come together.
class UncheckedSamples {
 public:
  UncheckedSamples() = default;
  explicit UncheckedSamples(std::map<FileNumber, Unchecked>&& state) : files_(std::move(state)) {}

  /// Samples that end at `end_offset` were taken; 0: their end is unknown. Returns the number of the
  /// doubt, when they are in one.
  std::optional<std::uint64_t> add(const FileNumber& file, std::uint64_t end_offset, std::uint64_t samples);
  /// What lies there may be wrong. Returns how many samples that is so far; those that come later belong to
  /// the doubt of this number.
  std::uint64_t doubt(const FileNumber& file, std::uint64_t begin, std::uint64_t end, std::uint64_t number);

  /// A piece was read to its end. What lies before `unchecked_from` has been confirmed.
  void end_piece(const FileNumber& file, std::uint64_t unchecked_from);
  void end_file(const FileNumber& file) { files_.erase(file); }

  /// Between two pieces.
  const std::map<FileNumber, Unchecked>& state() const noexcept { return files_; }

 private:
  struct Added {
    std::uint64_t end_offset = 0;
    std::uint64_t samples = 0;
  };

  std::uint64_t count(const Unchecked& before, std::uint64_t begin) const;

  std::map<FileNumber, Unchecked> files_;
  std::vector<Added> of_piece_;
};

}  // namespace shardmill::pipeline
