// What `shardmill inspect` found, for people and for programs.
#pragma once

#include <string>

#include "shardmill/cli/bar_chart.hpp"
#include "shardmill/commands/inspect.hpp"

namespace shardmill::cli {

std::string report_as_text(const commands::InspectSummary& summary, Glyphs glyphs);
std::string report_as_json(const commands::InspectSummary& summary);

/// How much audio one loader worker can deliver in a second at most, when it does nothing but fetch plain
/// bytes at this rate; 0 where that cannot be told.
double audio_hours_per_second(double bytes_per_second, const commands::Contents& contents);

}  // namespace shardmill::cli
