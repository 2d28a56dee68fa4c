// The deal over the shards of all parts, after all parts have read their sources.
#pragma once

#include <cstdint>
#include <optional>

#include "base/reporter.hpp"
#include "pipeline/part_state.hpp"
#include "repack/options.hpp"
#include "repack/part_plan.hpp"

namespace shardmill::repack {

/// What a part has done, if it has read all of its sources.
std::optional<pipeline::PartState> state_of(const std::string& out_folder, const PartPlan& plan,
                                            std::uint32_t part);

/// Decides to which shard each held sample goes. Parts deal without knowing of each other. When the held
/// samples cannot make all shards equal, the parts give back more and more of the samples that they dealt.
/// This is done once: a second call finds the result of the first. Throws an Error that names the parts whose
/// sources are still to be read. The work folder must be locked.
pipeline::HeldShards deal_held(const RepackOptions& options, const RepackPlan& whole, const PartPlan& plan,
                               base::Reporter& reporter);

}  // namespace shardmill::repack
