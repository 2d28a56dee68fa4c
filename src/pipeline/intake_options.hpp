// IntakeOptions: which samples are taken, and what happens to those that cannot be.
#pragma once

#include <cstdint>
#include <vector>

#include "audio/transform.hpp"
#include "pipeline/intake/key_filter.hpp"
#include "pipeline/measure/filters.hpp"
#include "pipeline/measure/speakers.hpp"
#include "pipeline/sample_metadata.hpp"
#include "shard/keys.hpp"
#include "source/missing_text.hpp"
#include "source/source_set.hpp"
#include "source/tree_corpus.hpp"

namespace shardmill::pipeline {

enum class OnError { stop, skip };
enum class OnDuplicate { stop, first, rename };
enum class OnDuplicateAudio { off, stop, first };
enum class TextPlace { both, members, manifest };

struct IntakeOptions {
  shard::KeyRule key_rule = shard::KeyRule::wenet;
  TextPlace text = TextPlace::both;
  audio::WantedForm form{};
  bool splits_channels = false;  // each channel is a sample; `form` says whether the audio is split, too
  bool require_uniform = false;  // one sample rate, number of channels and sample format
  KeyPatterns keys{};
  SpeakerRules speakers{};          // who speaks, where no field `speaker` says it
  source::TreeOptions tree{};       // which subsets of downloaded corpora, and which of their texts
  std::vector<TableFile> tables{};  // that tell more of the samples, in the order in which they were given
  std::vector<TableFile> labels{};  // whose rows are the samples of a dataset
  Filters filters{};                // `form` says whether audio is measured
  source::MissingText missing_text = source::MissingText::allowed;  // in a whole dataset
  std::uint64_t limit = 0;                                          // samples taken in all; 0: no limit
  bool runs_commands = false;   // that a corpus names instead of audio files, also to try them
  bool needs_speakers = false;  // a sample without one is bad
  OnError on_error = OnError::stop;
  OnDuplicate on_duplicate = OnDuplicate::stop;
  bool prefixes_keys = false;                                   // with the name of the dataset
  OnDuplicateAudio on_duplicate_audio = OnDuplicateAudio::off;  // needs `form.hearing.sound`
};

/// Reads the tables that are named and not read yet, and tells the corpora of their columns. Throws Error as
/// read_tables(std::vector<TableFile>&) does.
void read_tables(IntakeOptions& options);

/// Hashes the label files, which must have the hashes that are known. Throws Error.
std::vector<source::LabelFile> read_labels(IntakeOptions& options);
/// Notes of label files without a name which dataset they are of. Throws UsageError for one of a dataset that
/// is not among the sources.
void settle_labels(const std::vector<std::string>& sources, std::vector<TableFile>& labels);

}  // namespace shardmill::pipeline
