// Writes what `shardmill inspect` found, for people and for programs.
#pragma once

#include <string>

#include "check/inspection.hpp"
#include "cli/output/bar_chart.hpp"

namespace shardmill::cli {

std::string report_as_text(const check::InspectSummary& summary, Glyphs glyphs);
std::string report_as_json(const check::InspectSummary& summary);

/// The most hours of audio that one loader worker can deliver per second if it only reads plain bytes at this
/// rate; 0 when that cannot be told.
double audio_hours_per_second(double bytes_per_second, const check::Contents& contents);

}  // namespace shardmill::cli
