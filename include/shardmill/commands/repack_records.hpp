// repack_records: writes everything that lies beside the shards of a finished run, and says where each file
// goes.
#pragma once

#include <string>
#include <vector>

#include "shardmill/commands/publish.hpp"
#include "shardmill/commands/repack.hpp"
#include "shardmill/commands/repack_plan.hpp"
#include "shardmill/manifest/run_record.hpp"
#include "shardmill/pipeline/mill.hpp"
#include "shardmill/pipeline/pack_shards.hpp"

namespace shardmill::commands {

struct FinishedRun {
  const RepackOptions& options;
  const RepackPlan& plan;
  pipeline::Mill& mill;
  const std::vector<pipeline::PackedShard>& shards;
  std::string work_folder;
};

struct WrittenRecords {
  manifest::DatasetRecord dataset;
  Renames renames;  // shards and manifests included; dataset.json is the last
};

/// Everything written is durable. `run` becomes run.json.
WrittenRecords write_records(const FinishedRun& finished, const manifest::RunRecord& run);

}  // namespace shardmill::commands
