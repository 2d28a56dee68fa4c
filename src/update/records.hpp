// records: writes the records of a dataset that was updated, and says where each file goes.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "check/member_check.hpp"
#include "dataset/publish.hpp"
#include "dataset/records.hpp"
#include "manifest/dataset_record.hpp"
#include "manifest/run_record.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::update {

/// A shard of the new dataset, or the samples that wait.
struct UpdatedShard {
  check::ShardContents contents;
  manifest::ShardRecord record;  // as far as a shard that stays has one; else it is filled from the others
  bool is_new = false;           // its files are not in their places yet
  std::string tar;               // relative to the dataset's folder
  std::string manifest;          // the same
  std::string manifest_sha256;   // as recorded, or as written; empty: not known yet
  std::string tar_now;           // where the tar is
  std::string manifest_now;      // where the manifest is
};

struct UpdatedDataset {
  const dataset::DatasetRecords& old;
  dataset::Recipe recipe;               // of the dataset, with the number of shards it has now
  std::vector<UpdatedShard> shards;     // all, in their order
  std::optional<UpdatedShard> pending;  // none: no sample waits
  manifest::DatasetRecord record;       // as far as it does not follow from the shards
  manifest::RunRecord run;
  std::string rejects;  // the text of rejects.jsonl
};

struct UpdatedRecords {
  manifest::DatasetRecord dataset;
  dataset::Renames renames;          // dataset.json is the last
  std::set<std::string> kept;        // files that stay as they are
  std::vector<std::string> dropped;  // derived files that fit no more
};

/// Writes all records into the folder `ready`, where new shards lie already; everything is durable then.
UpdatedRecords write_records(const UpdatedDataset& updated, const std::string& ready,
                             pipeline::Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::update
