// What the records of an updated dataset say of the dataset and of the update.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/hash/hash.hpp"
#include "dataset/recipe.hpp"
#include "dataset/records.hpp"
#include "manifest/dataset_record.hpp"
#include "manifest/run_record.hpp"
#include "pipeline/workers.hpp"
#include "repack/finish.hpp"
#include "repack/plan.hpp"
#include "update/options.hpp"
#include "update/staging.hpp"
#include "update/stock.hpp"

namespace shardmill::update {

/// What an update changes. All of it must outlive the calls below.
struct Changes {
  base::Xxh128 id;  // of the update
  const UpdateOptions& options;
  const dataset::DatasetRecords& records;  // of the old dataset
  const dataset::Recipe& recipe;
  const std::optional<repack::RepackPlan>& plan;
  const std::optional<Staged>& staged;
  const Stock& stock;
  const std::vector<std::uint32_t>& shard_of;  // of all samples of the stock
  const std::vector<bool>& changed;            // by shard of the new dataset
};

/// dataset.json, without what follows from the shards.
manifest::DatasetRecord describe(const Changes& changes);

manifest::RunRecord describe_run(const Changes& changes, const repack::RunClock& clock,
                                 const pipeline::Workers& workers);

}  // namespace shardmill::update
