// What each world size of training gets from the shards, loader by loader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/reporter.hpp"
#include "ranks/options.hpp"

namespace shardmill::ranks {

/// Throws UsageError when there are more ranks than shards.
void check_world_sizes(const RanksOptions& options, std::size_t shards);

/// One report for each world size. The shards of `summary` must be known, and the supply if it is asked for.
std::vector<WorldReport> world_reports(const RanksOptions& options, const RanksSummary& summary,
                                       pipeline::Workers& workers, base::Reporter& reporter);

/// The smallest number that every team divides; 0 when it is too large to be useful.
std::uint64_t common_multiple(const RanksOptions& options);

/// All world sizes by which the shards can be divided.
std::vector<std::size_t> even_world_sizes(std::size_t shards, std::size_t workers);

}  // namespace shardmill::ranks
