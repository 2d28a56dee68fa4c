// The audio of each rank for each world size of training, loader by loader; and the lists of a rank plan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/reporter.hpp"
#include "dataset/rank_lists.hpp"
#include "ranks/options.hpp"

namespace shardmill::ranks {

/// Throws UsageError if there are more ranks than shards.
void check_world_sizes(const RanksOptions& options, std::size_t shards);

/// One report for each world size. The shards of `summary` must be known, and the supply if it is asked for.
std::vector<WorldReport> world_reports(const RanksOptions& options, const RanksSummary& summary,
                                       pipeline::Workers& workers, base::Reporter& reporter);

/// The smallest number that every team divides; 0 when it is too large to be useful.
std::uint64_t common_multiple(const RanksOptions& options);

/// All world sizes by which the shards can be divided.
std::vector<std::size_t> even_world_sizes(std::size_t shards, std::size_t workers);

/// The lists for all world sizes as text, and plan.json. Throws Error for paths that a list cannot hold.
dataset::RankFiles rank_files_of(const RanksSummary& summary);

}  // namespace shardmill::ranks
