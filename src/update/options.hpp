// The options of update, and its results.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "manifest/dataset_record.hpp"
#include "pipeline/intake_options.hpp"
#include "repack/options.hpp"
#include "update/arrangement.hpp"

namespace shardmill::update {

struct UpdateOptions : repack::RunOptions {
  std::string folder;
  std::vector<std::string> sources;            // to add: [NAME=]SOURCE
  std::string remove_keys{};                   // a file with a key on each line; empty: none
  std::string remove_speakers{};               // a file with a speaker on each line; empty: none
  std::vector<std::string> remove_datasets{};  // names
  std::vector<pipeline::TableFile> labels{};   // of the added samples
  std::vector<pipeline::TableFile> tables{};   // for the added samples; empty: those of the dataset
  source::TreeOptions fields{};                // whose text_field and text_fields are for the added samples
  pipeline::SpeakerRules speakers{};           // for the added samples
  Wishes::Mix mix = Wishes::Mix::may_differ;
  std::optional<double> rewrite_limit{};  // see Wishes::limit; infinite: no limit
  bool removes() const {
    return !remove_keys.empty() || !remove_speakers.empty() || !remove_datasets.empty();
  }
  bool allow_missing_text = false;                               // of the added samples
  std::optional<pipeline::OnError> on_error;                     // none: as the dataset was made
  std::optional<pipeline::OnDuplicate> on_duplicate;             // the same
  std::optional<pipeline::OnDuplicateAudio> on_duplicate_audio;  // the same
  std::optional<std::uint64_t> max_rejects;                      // the same
  bool take_back = false;                                        // samples that were removed may be added
};

/// How many samples of a dataset the shards hold, at least and at most.
struct MixRange {
  std::uint64_t fewest = 0;
  std::uint64_t most = 0;
};

struct UpdateSummary {
  enum class Outcome {
    written,
    already_done,
    planned,
    nothing_new  // the dataset has all samples of the sources already, or they were removed; nothing changed
  };

  Outcome outcome = Outcome::written;
  manifest::DatasetRecord dataset{};
  manifest::DatasetRecord::Update update{};  // the changes
  std::uint64_t waiting = 0;                 // samples that are not in training
  std::uint64_t written_bytes = 0;   // of shards and samples that wait, and of the scratch tar of new ones
  std::uint64_t removed_shards = 0;  // that the dataset has fewer than before
  std::map<std::string, MixRange> mix{};            // by dataset
  std::map<std::string, std::uint64_t> left_out{};  // of the sources, by reason
  std::vector<repack::TableMatch> tables{};         // that were given with the update
  std::vector<std::string> dropped{};               // rank lists and other files that no longer fit
  std::optional<deal::LeastSpread> least_spread{};  // none if the shards are equal
  repack::Shares shares = repack::Shares::any;      // of the deals that least_spread is about
  bool is_held_back = false;                        // they are not, for the limit
  repack::Losses losses{};
  std::uint64_t max_rejects = 0;
  bool too_many_rejects = false;
  double seconds = 0;
};

}  // namespace shardmill::update
