// Writes everything that a finished run puts beside the shards, and says where each file goes.
#pragma once

#include <string>
#include <vector>

#include "base/io/writer_lock.hpp"
#include "dataset/publish.hpp"
#include "manifest/run_record.hpp"
#include "pipeline/admission_state.hpp"
#include "pipeline/pack_shards.hpp"
#include "pipeline/spool_set.hpp"
#include "repack/options.hpp"
#include "repack/plan.hpp"
#include "shard/sample_packer.hpp"

namespace shardmill::repack {

/// A shard that is whole and durable, but does not have its final name yet.
struct FinishedShard {
  pipeline::PackedShard packed;
  std::uint64_t tar_bytes = 0;
  std::string manifest_path;         // of its manifest, which may be missing when the shard has no samples
  std::uint64_t manifest_check = 0;  // RunningHash of its bytes
};

struct FinishedRun {
  const RepackOptions& options;
  const RepackPlan& plan;
  const pipeline::IntakeCounts& counts;
  const std::vector<shard::ShardTally>& tallies;
  std::vector<FinishedShard> shards;
  std::vector<std::string> reject_logs;  // together they hold all rejects
  std::string work_folder;
  const base::WriterLock& lock;
  pipeline::Workers& workers;
  base::Reporter& reporter;
};

std::vector<FinishedShard> finished_shards(const pipeline::SpoolSet& spools,
                                           const std::vector<pipeline::PackedShard>& packed);

struct WrittenRecords {
  manifest::DatasetRecord dataset;
  dataset::Renames renames;  // shards and manifests included; dataset.json is the last
};

/// Everything that is written is durable on return. `run` becomes run.json.
WrittenRecords write_records(const FinishedRun& finished, const manifest::RunRecord& run);

}  // namespace shardmill::repack
