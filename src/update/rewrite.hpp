// rewrite: writes the shards that an update changes, and says what each shard of the dataset is then.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "check/member_check.hpp"
#include "pipeline/workers.hpp"
#include "repack/records.hpp"
#include "update/decision.hpp"
#include "update/request.hpp"
#include "update/stock.hpp"

namespace shardmill::update {

/// Where new files lie until they get their places.
std::string ready_folder(const Request& request);

/// A shard of the updated dataset, or the samples that wait.
struct UpdatedShard {
  check::ShardContents contents;
  repack::FinishedShard files;  // without the tally
};

struct Rewritten {
  std::vector<UpdatedShard> shards;     // all, in their order
  std::optional<UpdatedShard> pending;  // none: no sample waits
  std::uint64_t bytes = 0;              // that were written
};

/// Locates the samples of the stock and writes those that move. Throws Error where the disk is too small.
Rewritten rewrite(const Request& request, const Facts& facts, const Decision& decision, Stock& stock,
                  pipeline::Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::update
