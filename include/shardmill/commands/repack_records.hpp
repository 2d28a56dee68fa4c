// repack_records: writes everything that lies beside the shards of a finished run, and says where each file
// goes.
#pragma once

#include <string>
#include <vector>

#include "shardmill/base/writer_lock.hpp"
#include "shardmill/commands/publish.hpp"
#include "shardmill/commands/repack.hpp"
#include "shardmill/commands/repack_plan.hpp"
#include "shardmill/manifest/run_record.hpp"
#include "shardmill/pipeline/admission.hpp"
#include "shardmill/pipeline/pack_shards.hpp"
#include "shardmill/pipeline/shard_tally.hpp"
#include "shardmill/pipeline/spool_set.hpp"

namespace shardmill::commands {

/// A shard that is whole and durable, before it gets its final name.
struct FinishedShard {
  pipeline::PackedShard packed;
  std::uint64_t tar_bytes = 0;
  std::string manifest_path;         // of its manifest, which may be missing where it holds no sample
  std::uint64_t manifest_check = 0;  // RunningHash of what was written to it
};

struct FinishedRun {
  const RepackOptions& options;
  const RepackPlan& plan;
  const pipeline::IntakeCounts& counts;
  const std::vector<pipeline::ShardTally>& tallies;
  std::vector<FinishedShard> shards;
  std::vector<std::string> reject_logs;  // one after the other they are all rejects
  std::string work_folder;
  const base::WriterLock& lock;
  pipeline::Workers& workers;
  base::Reporter& reporter;
};

std::vector<FinishedShard> finished_shards(const pipeline::SpoolSet& spools,
                                           const std::vector<pipeline::PackedShard>& packed);

struct WrittenRecords {
  manifest::DatasetRecord dataset;
  Renames renames;  // shards and manifests included; dataset.json is the last
};

/// Everything written is durable. `run` becomes run.json.
WrittenRecords write_records(const FinishedRun& finished, const manifest::RunRecord& run);

}  // namespace shardmill::commands
