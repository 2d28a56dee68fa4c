// The options of repack, and its results.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "base/version.hpp"
#include "dataset/recipe.hpp"
#include "deal/even.hpp"
#include "deal/loader_rule.hpp"
#include "deal/shard_count.hpp"
#include "manifest/dataset_record.hpp"
#include "pipeline/admission_state.hpp"
#include "pipeline/intake_options.hpp"
#include "pipeline/mill_plan.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::repack {

/// As a limit: any number of samples may be lost, even an unknown number.
inline constexpr std::uint64_t kAnyNumber = UINT64_MAX;

/// Who will read the shards. Advice is for them, and nothing else depends on it.
struct ShardReaders {
  deal::Team team{.world_size = 8, .workers = 4};
  bool are_given = false;         // by the user
  bool are_shards_given = false;  // their number, or how much one holds
};

/// How a run works in the folder of a dataset. The result does not depend on it.
struct RunOptions {
  bool allow_commands = false;     // run commands that a corpus names instead of audio files
  bool dry_run = false;            // says what would be done
  bool force = false;              // drops what an unfinished run left
  bool wait = false;               // for another run that is at work in the folder
  bool ignore_free_space = false;  // the disk may be too small
  pipeline::CheckpointInterval checkpoints{};
  std::string command{};              // the command line, for run.json
  base::LibraryVersions libraries{};  // those that the caller uses, for run.json
};

struct RepackOptions : RunOptions {     // `force` replaces a finished dataset, too
  std::vector<std::string> sources;     // [NAME=]SOURCE
  std::vector<std::string> md5s;        // each corpus that is read from its archive must have one of them
  std::string out_folder;               // or an address in a bucket
  std::string work_folder;              // for a dataset in a bucket: where it is made; empty: one is chosen
  std::uint64_t part_bytes = 8U << 20;  // of files that are sent to a bucket
  dataset::Recipe recipe;               // everything that shapes the result
  bool are_tables_for_all = true;       // false: a table may have no row for these sources
  bool are_names_for_all = true;        // false: options may name datasets that are not among these sources
  std::string depfile;                  // gets what dataset.json depends on, for make; empty: not written
  std::uint64_t max_rejects = 0;
  ShardReaders readers;
  bool is_of_split = false;     // the dataset is one of several of a split
  bool needs_speakers = false;  // they are kept apart

  /// True when the dataset is made in out_folder and then moved into a bucket.
  bool is_for_bucket() const { return !recipe.final_place.empty(); }
  /// Where the finished dataset will be.
  const std::string& place() const { return is_for_bucket() ? recipe.final_place : out_folder; }
};

/// What became of a table that the user gave.
struct TableMatch {
  std::string path;
  std::uint64_t rows = 0;
  std::uint64_t matched_samples = 0;
  std::uint64_t rows_without_sample = 0;
  std::vector<std::string> first_rows{};  // the keys of some of these
  std::uint64_t samples_without_row = 0;
  std::vector<std::string> first_samples{};
  bool is_exact = true;  // false: samples were left out whose keys were not recorded
};

/// How many samples were left out because of errors, as far as it can be known.
struct Losses {
  std::uint64_t samples = 0;        // as far as the number is known
  std::uint64_t unknown_files = 0;  // source files that could not be read whole: their samples are unknown
};

/// Whether all shards hold as many samples of each dataset.
enum class Shares { alike, any };

struct RepackSummary {
  enum class Outcome { planned, written, already_there };

  Outcome outcome = Outcome::written;
  deal::InputEstimate estimate{};  // of a plan
  std::uint64_t input_bytes = 0;
  std::uint64_t planned_shards = 0;
  std::uint64_t needed_bytes = 0;  // free space that a plan needs, scratch files included
  struct PlannedDataset {
    std::string name;
    double seconds = 0;  // about what its sources hold
    double weight = 1;
  };
  std::vector<PlannedDataset> planned_datasets{};
  std::uint64_t shards_of_unknown_keys =
      0;  // that were not compared, where a key that comes twice stops a run
  std::set<std::string> planned_extensions{};  // of audio files that the estimate met
  manifest::DatasetRecord dataset{};           // except of a plan
  pipeline::IntakeCounts counts{};             // of a run that wrote the dataset
  repack::Losses losses{};                     // the same
  std::vector<TableMatch> tables{};            // the same
  /// Of a run whose shards are not equal: how equal any deal could make them at most.
  std::optional<deal::LeastSpread> least_spread{};
  bool resumed = false;
  std::uint64_t max_rejects = 0;  // the limit
  bool too_many_rejects = false;  // more than that were left out because of errors
  double seconds = 0;
};

}  // namespace shardmill::repack
