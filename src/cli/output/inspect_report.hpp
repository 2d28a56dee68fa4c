// The results of `shardmill inspect` and `inspect --duplicates`, for people and for programs.
#pragma once

#include <optional>
#include <string>

#include "check/duplicates.hpp"
#include "check/inspection.hpp"
#include "cli/output/charts.hpp"
#include "cli/output/proposal.hpp"

namespace shardmill::cli {

std::string report_as_text(const check::InspectSummary& summary, const std::optional<Proposal>& proposal,
                           Glyphs glyphs);
std::string report_as_json(const check::InspectSummary& summary, const std::optional<Proposal>& proposal);

/// The most hours of audio that one loader worker can deliver per second if it only reads plain bytes at this
/// rate; 0 if that is unknown.
double audio_hours_per_second(double bytes_per_second, const check::Contents& contents);

std::string duplicates_as_text(const check::DuplicateSummary& summary);
/// All groups, with all of their samples.
std::string duplicates_as_json(const check::DuplicateSummary& summary);

}  // namespace shardmill::cli
