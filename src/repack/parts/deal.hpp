// The deal over the shards of all parts, and other work after all parts have read their sources.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "deal/parts.hpp"
#include "manifest/reject.hpp"
#include "pipeline/mill.hpp"
#include "pipeline/part_state.hpp"
#include "repack/options.hpp"
#include "repack/part_plan.hpp"
#include "repack/plan.hpp"

namespace shardmill::repack {

/// What a part has done, if it has read all of its sources.
std::optional<pipeline::PartState> state_of(const std::string& out_folder, const PartPlan& plan,
                                            std::uint32_t part);

/// The same, of a part whose folder is `folder`.
std::optional<pipeline::PartState> state_in(const std::string& folder, const PartPlan& plan,
                                            std::uint32_t part);

/// Decides to which shard each held sample goes. Parts deal without knowing of each other. When the held
/// samples cannot make all shards equal, the parts give back more and more of the samples that they dealt.
/// This is done once: a second call finds the result of the first. Throws an Error that names the parts whose
/// sources are still to be read. The work folder must be locked.
pipeline::HeldShards deal_held(const RepackOptions& options, const RepackPlan& whole, const PartPlan& plan,
                               base::Reporter& reporter);

/// The samples that the parts of a run held back, and the shard that each of them goes to.
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

/// What a table names and no archive held. To be called when all parts have read their archives.
std::vector<manifest::Reject> broken_promises_of_parts(const std::string& out_folder, const RepackPlan& whole,
                                                       const PartPlan& plan);

}  // namespace shardmill::repack
