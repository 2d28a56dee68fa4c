// Decision: which samples an update moves, and to which shards; and how the records of the updated dataset
// describe the dataset and the update.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "manifest/dataset_record.hpp"
#include "manifest/run_record.hpp"
#include "pipeline/workers.hpp"
#include "repack/finish.hpp"
#include "update/arrangement.hpp"
#include "update/old_rejects.hpp"
#include "update/request.hpp"
#include "update/staging.hpp"
#include "update/stock.hpp"

namespace shardmill::update {

/// All samples that may be moved before a shard is opened for it: those that wait, those that are new, and
/// those of the shards that lose some.
Stock first_stock(const Request& request, const Facts& facts, const std::optional<Staged>& staged);

/// Samples that are not read yet, about which a dry run knows no more than their number and length.
struct Expected {
  std::vector<deal::HeldSample> samples;
  std::uint64_t bytes = 0;
};

struct Decision {
  std::uint32_t shards = 0;             // of the dataset after the update
  std::vector<std::uint32_t> shard_of;  // of each sample of the stock; kNoShard: it waits, or is removed
  std::vector<bool> changed;            // by shard of the new dataset
  std::uint64_t waiting = 0;            // samples, with those that are expected
  bool is_held_back = false;            // see Arrangement
};

/// Adds to `stock` the samples of each shard that is opened. Throws Error when no sample would be left.
Decision decide(const Request& request, const Facts& facts, Stock& stock, const Expected& expected = {});

/// What an update changes. All of it must outlive the calls below.
struct Changes {
  const Request& request;
  const std::optional<Staged>& staged;  // none: no sources are added
  const Stock& stock;
  const Decision& decision;
  OldRejects old_rejects{};
};

/// dataset.json, without the fields that are computed from the shards.
manifest::DatasetRecord describe(const Changes& changes);

manifest::RunRecord describe_run(const Changes& changes, const repack::RunClock& clock,
                                 const pipeline::Workers& workers);

}  // namespace shardmill::update
