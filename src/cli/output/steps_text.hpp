// steps_text: says how many steps ranks take, and what would be better.
#pragma once

#include <string>

#include "ranks/options.hpp"

namespace shardmill::cli {

/// "batches of 16 samples".
std::string batches_text(const deal::Batching& batching);

/// A table with a row for each loader, and advice. Empty where nobody asked for batches.
std::string steps_text(const ranks::WorldReport& world, const ranks::RanksSummary& summary,
                       const ranks::RanksOptions& options);

}  // namespace shardmill::cli
