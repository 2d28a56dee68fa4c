// index: writes the indexes that other projects' loaders want for existing shards, and the lists of a dataset
// that was moved.
// mix: one configuration over several finished datasets, for loaders that mix them while they read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "dataset/forms.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::index {

struct IndexOptions {
  std::vector<std::string> targets;  // one dataset folder, or shards in any form that sources take
  dataset::Forms kinds;
  std::string list_root{};  // new prefix of the shards in a dataset's lists; empty: lists stay
  std::string command;      // the command line, shown to others whom the lock keeps out
};

struct IndexSummary {
  std::string folder;  // the folder that the indexes are for
  std::uint64_t shards = 0;
  std::uint64_t samples = 0;
  std::vector<std::string> files;    // indexes, relative to it
  std::vector<std::string> lists{};  // lists and records that were written again
};

/// The shards that indexes are written for, and the folder that the indexes go to.
struct Target {
  std::string folder;
  std::uint64_t samples = 0;  // if known
  std::vector<dataset::ShardToIndex> shards{};
};

/// All shards of a finished dataset. Throws Error when the dataset is unsound, and UsageError when an index
/// is useless for its shards.
Target dataset_target(const std::string& folder, const IndexOptions& options, pipeline::Workers& workers,
                      base::Reporter& reporter);

/// Shards that shardmill did not make. Throws UsageError for an index that they cannot have, and Error for
/// shards that are compressed.
Target shard_target(const IndexOptions& options);

/// In a dataset, the indexes are added to SHA256SUMS. Throws UsageError for an index that these shards cannot
/// have, and Error for shards that are not sound plain tars.
IndexSummary run_index(const IndexOptions& options, pipeline::Workers& workers, base::Reporter& reporter);

enum class MixKind {
  nemo,    // input_cfg.yaml
  energon  // a metadataset
};

struct MixOptions {
  std::vector<std::string> folders;  // each a finished dataset
  MixKind kind{};
  double temperature = 1;
};

struct Mix {
  struct Part {
    std::string folder;
    double seconds = 0;
    double share = 0;   // of the audio that is read
    double weight = 0;  // of the dataset, for loaders that draw samples; all together 1
  };

  std::vector<Part> parts;
  std::string yaml;
};

/// The share of each dataset in the audio that training reads is its audio time to the power of the
/// temperature. Throws Error for a folder without a finished dataset, or with one that the loader cannot
/// read, and UsageError for a folder that is given twice.
Mix mix_datasets(const MixOptions& options);

}  // namespace shardmill::index
