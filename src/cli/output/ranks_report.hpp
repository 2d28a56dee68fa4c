// The result of `shardmill ranks`, for people and for programs.
#pragma once

#include <string>

#include "cli/output/charts.hpp"
#include "ranks/ranks.hpp"

namespace shardmill::cli {

std::string ranks_as_text(const ranks::RanksSummary& summary, const ranks::RanksOptions& options,
                          Glyphs glyphs);
std::string ranks_as_json(const ranks::RanksSummary& summary, const ranks::RanksOptions& options);

/// "batches of 16 samples".
std::string batches_text(const deal::Batching& batching);

/// A table of steps with a row for each loader, and advice. Empty without an option for batches.
std::string steps_text(const ranks::WorldReport& world, const ranks::RanksSummary& summary,
                       const ranks::RanksOptions& options);

}  // namespace shardmill::cli
