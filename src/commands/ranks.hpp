// ranks: what each training rank will get from some shards, and lists that give every rank the same.
#pragma once

#include "base/reporter.hpp"
#include "pipeline/workers.hpp"
#include "ranks/options.hpp"

namespace shardmill::commands {

/// The summary of run_ranks(), without locking the dataset and without writing lists.
ranks::RanksSummary foretell(const ranks::RanksOptions& options, pipeline::Workers& workers,
                             base::Reporter& reporter);

/// Throws UsageError if there are more ranks than shards, and whatever find_rank_shards() throws.
ranks::RanksSummary run_ranks(const ranks::RanksOptions& options, pipeline::Workers& workers,
                              base::Reporter& reporter);

}  // namespace shardmill::commands
