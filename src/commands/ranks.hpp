// ranks: what each training rank will get from some shards, and lists that give every rank the same.
#pragma once

#include "base/reporter.hpp"
#include "pipeline/workers.hpp"
#include "ranks/options.hpp"

namespace shardmill::commands {

/// What run_ranks() says, without any lock, and without lists.
ranks::RanksSummary foretell(const ranks::RanksOptions& options, pipeline::Workers& workers,
                             base::Reporter& reporter);

/// Throws UsageError when there are more ranks than shards, and whatever find_rank_shards() throws.
ranks::RanksSummary run_ranks(const ranks::RanksOptions& options, pipeline::Workers& workers,
                              base::Reporter& reporter);

}  // namespace shardmill::commands
