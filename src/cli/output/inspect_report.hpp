// What `shardmill inspect` found, for people and for programs.
#pragma once

#include <string>

#include "check/inspection.hpp"
#include "cli/output/bar_chart.hpp"

namespace shardmill::cli {

std::string report_as_text(const check::InspectSummary& summary, Glyphs glyphs);
std::string report_as_json(const check::InspectSummary& summary);

/// How much audio one loader worker can deliver in a second at most, when it does nothing but fetch plain
/// bytes at this rate; 0 where that cannot be told.
double audio_hours_per_second(double bytes_per_second, const check::Contents& contents);

}  // namespace shardmill::cli
