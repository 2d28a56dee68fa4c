// What the records of an updated dataset say of the dataset and of the update.
#pragma once

#include <optional>

#include "manifest/dataset_record.hpp"
#include "manifest/run_record.hpp"
#include "pipeline/workers.hpp"
#include "repack/finish.hpp"
#include "update/decision.hpp"
#include "update/request.hpp"
#include "update/staging.hpp"
#include "update/stock.hpp"

namespace shardmill::update {

/// What an update changes. All of it must outlive the calls below.
struct Changes {
  const Request& request;
  const std::optional<Staged>& staged;  // none: no sources are added
  const Stock& stock;
  const Decision& decision;
};

/// dataset.json, without the fields that are computed from the shards.
manifest::DatasetRecord describe(const Changes& changes);

manifest::RunRecord describe_run(const Changes& changes, const repack::RunClock& clock,
                                 const pipeline::Workers& workers);

}  // namespace shardmill::update
