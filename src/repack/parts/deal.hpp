// The deal over the shards of all parts, when all of them have read their sources.
#pragma once

#include <cstdint>
#include <optional>

#include "base/reporter.hpp"
#include "pipeline/part_state.hpp"
#include "repack/options.hpp"
#include "repack/part_plan.hpp"

namespace shardmill::repack {

/// What a part has done, if all of its sources are read.
std::optional<pipeline::PartState> state_of(const std::string& out_folder, const PartPlan& plan,
                                            std::uint32_t part);

/// Which shard each sample goes to that the parts held back. Parts deal before they know of each other: where
/// what they kept cannot make all shards equal, they give back more and more of what they dealt. Done once; a
/// second call finds the result of the first. Throws Error that names the parts that are still to be read.
/// The work folder must be locked.
pipeline::HeldShards deal_held(const RepackOptions& options, const RepackPlan& whole, const PartPlan& plan,
                               base::Reporter& reporter);

}  // namespace shardmill::repack
