// Checks of all input: that no dataset loses its transcripts unnoticed, with a quick look before the run and
// a count of all samples after it; that training and test data are mixed only on request; whether the
// speakers of samples are known; whether a key comes twice, and the first files of each dataset are whole, as
// far as that is known beforehand; and which utterances of a table no archive held (broken_promises).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/reporter.hpp"
#include "manifest/reject.hpp"
#include "pipeline/admission_state.hpp"
#include "pipeline/intake/feed.hpp"
#include "pipeline/intake/key_filter.hpp"
#include "pipeline/intake_options.hpp"
#include "shard/keys.hpp"
#include "source/source_file.hpp"

namespace shardmill::pipeline {

/// Reads the first samples of up to three shards of each stream. Throws Error when none of them has a
/// transcript and the options do not allow that. Raw corpora were checked when they were found. The same
/// files always get the same verdict. What cannot be read is left to the run.
void glance_at_texts(const Inputs& inputs, const IntakeOptions& options, base::Reporter& reporter);

/// In the words that unpacked corpora get.
Error textless_warning(const Textless& textless);
/// The same of samples that the user asks to be left out.
Error as_warned(const Error& warning, const IntakeOptions& options);
/// "7 samples have members that are left out, because ...: .jpg of 2, .npy of 7"
Error left_members_warning(const LeftMembers& left);

/// `counts` is of all samples that were taken. Throws Error when more of them have no transcript than the
/// options allow. Warns of fewer, where this was unknown before the run.
void check_texts(const Inputs& inputs, const IntakeCounts& counts, const IntakeOptions& options,
                 base::Reporter& reporter);

/// The same: throws Error if no subset that is wanted has a sample, and warns of single ones that have none.
void check_subsets(const IntakeCounts& counts, const IntakeOptions& options, base::Reporter& reporter);

/// Throws Error where the corpora, as far as is known before they are read, hold samples of several splits
/// and the user named no subsets. The rest is found while they are read.
void check_splits(const Inputs& inputs, const IntakeOptions& options);

/// Throws Error for the first key that comes twice among the utterances of raw corpora, with the number of
/// all others, unless the options say what to do then. It is a warning if a filter may leave out one of the
/// two.
void check_keys(const Inputs& inputs, const IntakeOptions& options, base::Reporter& reporter);

/// Adds an error for each dataset in which a sample has no speaker, as far as that is known beforehand: for
/// corpora by their texts, for shards by the samples in the first megabytes. Returns a warning where speakers
/// of several datasets have one name.
std::optional<Error> check_speakers(const Inputs& inputs, const IntakeOptions& options,
                                    base::Reporter& reporter, Faults& faults);

/// What a dry run has found.
struct BadInput {
  std::uint64_t samples = 0;
  std::uint64_t shards = 0;  // that are damaged, so that it is unknown how many samples they lose
};

/// Adds an error for each file that is cut off or no audio, each of the first commands that fails, each
/// recording that is too short for its segments, and each bad sample of a shard, in the first files of each
/// dataset: about a second of work. The first of each kind is an error, with the number of others. Where bad
/// samples are left out, it warns instead. Of the shards that it reads, it also compares the keys, and warns
/// of samples without transcripts.
BadInput check_first_files(const Inputs& inputs, const IntakeOptions& options, base::Reporter& reporter,
                           Faults& faults);

/// Files that check_first_files() does not read as a whole, so that their keys are not compared.
std::uint64_t files_of_unknown_keys(const Inputs& inputs);

/// `splits`: at least two, by name, with a sample of each in words. `path`: where the second was found.
Error mixed_splits(const std::map<std::string, std::string>& splits, const std::string& path);

struct Promised {
  const std::vector<source::Promise>& promises;
  const std::vector<DatasetInput>& datasets;  // their weights may take no copy of a sample
  std::uint64_t seed = 0;
};

/// To be called when all input was read. `taken`: the keys that samples have in the dataset; `work_folder`:
/// the logs in it are synced.
std::vector<manifest::Reject> broken_promises(const Promised& what, const IntakeOptions& options,
                                              const shard::KeySet& taken, const std::string& work_folder);
/// The same of all parts of a run.
std::vector<manifest::Reject> broken_promises(const Promised& what, const IntakeOptions& options,
                                              const std::vector<std::string>& work_folders);

}  // namespace shardmill::pipeline
