// update: what it is asked for, and what came of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/system/library_versions.hpp"
#include "manifest/dataset_record.hpp"
#include "pipeline/mill.hpp"
#include "repack/losses.hpp"
#include "repack/options.hpp"

namespace shardmill::update {

/// What becomes of samples that fill no shard.
enum class Rest {
  waits,   // in pending/, until the next update
  spread,  // they are dealt over all shards
  remix    // all samples are dealt anew
};

struct UpdateOptions {
  std::string folder;
  std::vector<std::string> sources;           // to add: [NAME=]SOURCE
  std::string remove_keys;                    // a file with a key on each line; empty: nothing is removed
  std::vector<pipeline::TableFile> tables{};  // that tell of the added samples; none: those of the dataset
  Rest rest = Rest::waits;
  bool allow_missing_text = false;                               // of the added samples
  std::optional<pipeline::OnError> on_error;                     // none: as the dataset was made
  std::optional<pipeline::OnDuplicate> on_duplicate;             // the same
  std::optional<pipeline::OnDuplicateAudio> on_duplicate_audio;  // the same
  bool take_back = false;                                        // samples that were removed may be added
  bool dry_run = false;                                          // says what would be written
  std::optional<std::uint64_t> max_rejects;                      // the same
  bool allow_commands = false;                                   // that a corpus names instead of audio files
  bool force = false;                                            // drops what an unfinished update left
  bool wait = false;
  bool ignore_free_space = false;
  pipeline::CheckpointInterval checkpoints;
  std::string command;              // the command line, for run.json
  base::LibraryVersions libraries;  // that the caller uses, for run.json
};

/// What a new shard needs, and what waits for it, of one dataset.
struct Waiting {
  std::uint64_t per_shard = 0;  // samples in a shard
  std::uint64_t waiting = 0;    // samples
};

struct UpdateSummary {
  enum class Outcome { written, already_done, planned };

  Outcome outcome = Outcome::written;
  manifest::DatasetRecord dataset{};
  manifest::DatasetRecord::Update update{};  // what was done
  std::uint64_t written_bytes = 0;   // of shards and samples that wait, and of the scratch tar of new ones
  std::uint64_t removed_shards = 0;  // that the dataset has fewer than before
  std::map<std::string, Waiting> waiting{};         // by dataset, where samples wait
  double shard_seconds = 0;                         // of one shard
  std::map<std::string, std::uint64_t> left_out{};  // of the sources, by reason
  std::vector<repack::TableMatch> tables{};         // that were given with the update
  std::vector<std::string> dropped{};               // rank lists and the like, which fit no more
  repack::Losses losses{};
  std::uint64_t max_rejects = 0;
  bool too_many_rejects = false;
  double seconds = 0;
};

}  // namespace shardmill::update
