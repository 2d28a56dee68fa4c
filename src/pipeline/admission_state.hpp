// AdmissionState: what has been taken and left out, and how far the deal is, as plain values for a journal.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/io/binary_fields.hpp"
#include "deal/dealer.hpp"
#include "manifest/dataset_record.hpp"
#include "model/text_count.hpp"
#include "pipeline/checkpoint/scratch_file.hpp"
#include "pipeline/source_item.hpp"

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
  deal::DealerState dealer;
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

}  // namespace shardmill::pipeline
