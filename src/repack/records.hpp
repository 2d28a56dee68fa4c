// Writes everything that a run puts beside the shards of a dataset, and says where each file goes. Runs that
// make a dataset and updates of one use it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "dataset/forms.hpp"
#include "dataset/publish.hpp"
#include "dataset/recipe.hpp"
#include "manifest/dataset_record.hpp"
#include "manifest/run_record.hpp"
#include "pipeline/admission_state.hpp"
#include "pipeline/workers.hpp"
#include "shard/sample_packer.hpp"

namespace shardmill::repack {

/// A shard of the dataset, or the samples that wait: whole and durable, perhaps without its final name.
struct FinishedShard {
  manifest::ShardRecord record;   // of a new shard: only its bytes, tar_bytes and sha256
  shard::ShardTally tally;        // with all datasets of the record, in their order
  std::string tar;                // where the tar is
  std::string manifest;           // where the manifest is; a new shard without samples need not have one
  bool is_new = true;             // false: both stay where they are
  bool is_in_place = false;       // of a new shard: both have their final names already, elsewhere
  std::string manifest_sha256{};  // as it was recorded or written; empty: not known yet
  std::optional<std::uint64_t> manifest_check{};  // RunningHash of the manifest, as it was written
};

/// A dataset whose shards are finished.
struct FinishedDataset {
  std::string folder;
  std::string ready;              // the folder that the records are written into
  const dataset::Recipe& recipe;  // with the number of shards
  dataset::Forms indexes;
  std::vector<FinishedShard> shards;                           // all, in their order
  std::optional<FinishedShard> pending{};                      // none: no sample waits
  std::map<pipeline::AudioForm, pipeline::AudioAmount> forms;  // of the samples in the shards
  manifest::DatasetRecord record;  // with all datasets, and all that does not follow from the shards
  manifest::RunRecord run;
  std::string rejects;  // the text of rejects.jsonl
};

struct WrittenRecords {
  manifest::DatasetRecord dataset;
  dataset::Renames renames;    // shards and manifests included; dataset.json is the last
  std::set<std::string> kept;  // files that stay as they are
};

/// Everything that is written is durable on return. Throws Error when a manifest has changed.
WrittenRecords write_records(const FinishedDataset& finished, pipeline::Workers& workers,
                             base::Reporter& reporter);

}  // namespace shardmill::repack
