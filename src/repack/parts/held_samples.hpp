// HeldSamples: the samples that the parts of a run held back, and the shard that each of them goes to.
#pragma once

#include <string>
#include <vector>

#include "deal/parts.hpp"
#include "pipeline/mill.hpp"
#include "pipeline/part_state.hpp"
#include "repack/part_plan.hpp"

namespace shardmill::repack {

class HeldSamples {
 public:
  /// Reads the journals of all parts. Throws Error when one is missing or damaged.
  HeldSamples(const std::string& out_folder, const PartPlan& plan, pipeline::HeldShards&& shards);

  /// The samples for these shards, which are numbered from the first of them.
  std::vector<pipeline::HeldShare> of(const deal::ShardRange& range) const;

 private:
  std::vector<std::string> paths_;  // of the stores, by part
  std::vector<std::vector<pipeline::HeldStore::Entry>> entries_;
  pipeline::HeldShards shards_;
};

}  // namespace shardmill::repack
