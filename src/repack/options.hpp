// repack: the main job; reads shards, mixes, deals, balances, writes and records.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "base/system/library_versions.hpp"
#include "dataset/recipe.hpp"
#include "deal/shard_count.hpp"
#include "manifest/dataset_record.hpp"
#include "pipeline/admission_state.hpp"
#include "pipeline/intake_options.hpp"
#include "pipeline/mill.hpp"
#include "pipeline/workers.hpp"
#include "repack/losses.hpp"

namespace shardmill::repack {

struct RepackOptions {
  std::vector<std::string> sources;  // [NAME=]SOURCE
  bool allow_commands = false;       // that a corpus names instead of audio files
  std::vector<std::string> md5s;     // one of them must be that of each corpus that is read from its archive
  std::string out_folder;
  dataset::Recipe recipe;  // all that shapes the result
  std::string depfile;     // gets what dataset.json depends on, for make; empty: not written
  std::uint64_t max_rejects = 0;
  bool dry_run = false;
  bool force = false;
  bool wait = false;
  bool ignore_free_space = false;
  pipeline::CheckpointInterval checkpoints;
  std::string command;              // the command line, for run.json
  base::LibraryVersions libraries;  // that the caller uses, for run.json
};

struct RepackSummary {
  enum class Outcome { planned, written, already_there };

  Outcome outcome = Outcome::written;
  deal::InputEstimate estimate{};  // when planned
  std::uint64_t input_bytes = 0;
  std::uint64_t planned_shards = 0;
  std::uint64_t needed_bytes = 0;  // of the filesystem, scratch included, when planned
  struct PlannedDataset {
    std::string name;
    double seconds = 0;  // about what its sources hold
    double weight = 1;
  };
  std::vector<PlannedDataset> planned_datasets{};
  std::set<std::string> planned_extensions{};  // of audio, those that the estimate met
  manifest::DatasetRecord dataset{};           // unless planned
  pipeline::IntakeCounts counts{};             // when written
  repack::Losses losses{};                     // the same
  bool resumed = false;
  std::uint64_t max_rejects = 0;  // that were allowed
  bool too_many_rejects = false;  // more than that were left out for an error
  double seconds = 0;
};

}  // namespace shardmill::repack
