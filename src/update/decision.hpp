// Decision: which samples an update moves, and to which shards.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "update/arrangement.hpp"
#include "update/facts.hpp"
#include "update/request.hpp"
#include "update/staging.hpp"
#include "update/stock.hpp"

namespace shardmill::update {

/// What shards can be filled while the sources are read: none where others must be filled first, or where the
/// sources lack a dataset that each shard has.
std::optional<NewShards> shards_to_fill(const Request& request, const Facts& facts);

/// All samples that may be moved before a shard is opened for it: those that wait, those that are new, and
/// those of the shards that lose some.
Stock first_stock(const Request& request, const Facts& facts, const std::optional<Staged>& staged);

/// What shards of the dataset have in common, with the datasets in the order of `names`.
Likeness likeness_of(const Facts& facts, const std::vector<std::string>& names);

struct Decision {
  std::uint32_t shards = 0;  // that the dataset has then
  std::vector<std::uint32_t>
      shard_of;               // of each sample of the stock; deal::kNoShard: it waits, or is removed
  std::vector<bool> changed;  // by shard of the new dataset
};

/// `facts` also know the shards that were filled while the sources were read. Adds to `stock` the samples of
/// each shard that is opened. Throws Error when no sample would be left.
Decision decide(const Request& request, const Facts& facts, Stock& stock);

}  // namespace shardmill::update
