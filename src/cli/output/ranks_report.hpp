// Writes what `shardmill ranks` found, for people and for programs.
#pragma once

#include <string>

#include "cli/output/bar_chart.hpp"
#include "ranks/options.hpp"

namespace shardmill::cli {

std::string ranks_as_text(const ranks::RanksSummary& summary, const ranks::RanksOptions& options,
                          Glyphs glyphs);
std::string ranks_as_json(const ranks::RanksSummary& summary, const ranks::RanksOptions& options);

}  // namespace shardmill::cli
