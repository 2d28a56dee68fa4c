// What `shardmill ranks` found, for people and for programs.
#pragma once

#include <string>

#include "shardmill/cli/bar_chart.hpp"
#include "shardmill/commands/ranks.hpp"

namespace shardmill::cli {

std::string ranks_as_text(const commands::RanksSummary& summary, const commands::RanksOptions& options,
                          Glyphs glyphs);
std::string ranks_as_json(const commands::RanksSummary& summary, const commands::RanksOptions& options);

}  // namespace shardmill::cli
