// The results of all commands, for people and for programs. Each command has sources of its own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "base/text/json_writer.hpp"
#include "check/duplicates.hpp"
#include "check/inspection.hpp"
#include "check/verification.hpp"
#include "cli/output/shared_lines.hpp"
#include "doctor/doctor.hpp"
#include "ranks/ranks.hpp"
#include "repack/options.hpp"
#include "update/options.hpp"

namespace shardmill::cli {

// `shardmill repack`: repack_summary.cpp, and shard_advice_text.cpp for the advice on the number of shards
// for a training.

std::string summary_as_text(const repack::RepackSummary& summary, const repack::RepackOptions& options);
std::string summary_as_json(const repack::RepackSummary& summary, const repack::RepackOptions& options);

/// Returns the exit code, and reports an error if more samples were left out than --max-rejects allows.
int verdict(const repack::RepackSummary& summary, const repack::RepackOptions& options,
            base::Reporter& reporter);

/// Rows of the summary; empty without advice.
std::string shard_advice_as_text(const repack::RepackSummary& summary, const repack::RepackOptions& options);
/// Writes the member `for_training` of an open object, if there is advice.
void write_shard_advice(base::JsonWriter& json, const repack::RepackSummary& summary,
                        const repack::RepackOptions& options);
/// Warns of small shards and idle workers that the user chose.
void warn_of_shards(const repack::RepackSummary& summary, const repack::RepackOptions& options,
                    base::Reporter& reporter);

// `shardmill update`: update_summary.cpp

/// What brings waiting samples into training.
std::string bring_in_advice(const update::UpdateSummary& summary, const update::UpdateOptions& options);

std::string update_as_text(const update::UpdateSummary& summary, const update::UpdateOptions& options);
std::string update_as_json(const update::UpdateSummary& summary, const update::UpdateOptions& options);

// `shardmill inspect`: inspect_text.cpp, inspect_json.cpp, and duplicates_report.cpp for --duplicates

std::string report_as_text(const check::InspectSummary& summary, const std::optional<Proposal>& proposal,
                           Glyphs glyphs);
std::string report_as_json(const check::InspectSummary& summary, const std::optional<Proposal>& proposal);

/// The most hours of audio that one loader worker can deliver per second if it only reads plain bytes at this
/// rate; 0 if that is unknown.
double audio_hours_per_second(double bytes_per_second, const check::Contents& contents);

std::string duplicates_as_text(const check::DuplicateSummary& summary);
/// All groups, with all of their samples.
std::string duplicates_as_json(const check::DuplicateSummary& summary);

// `shardmill verify`, for people: first the damaged files, then all other findings, by file.

/// `all`: shows every finding, not only the first ones.
std::string verify_text(const check::VerifySummary& summary, bool all);

/// One line without a line end: the checked amount, the time, and the verdict.
std::string verify_verdict(const check::VerifySummary& summary, const std::vector<std::string>& targets);

// `shardmill ranks`: ranks_text.cpp, ranks_json.cpp, steps_text.cpp

std::string ranks_as_text(const ranks::RanksSummary& summary, const ranks::RanksOptions& options,
                          Glyphs glyphs);
std::string ranks_as_json(const ranks::RanksSummary& summary, const ranks::RanksOptions& options);

/// "batches of 16 samples".
std::string batches_text(const deal::Batching& batching);

/// A table of steps with a row for each loader, and advice. Empty without an option for batches.
std::string steps_text(const ranks::WorldReport& world, const ranks::RanksSummary& summary,
                       const ranks::RanksOptions& options);

// `shardmill doctor ADDRESS`: remote_doctor_text.cpp
std::string remote_doctor_text(const doctor::RemoteDoctorSummary& summary);
std::string remote_doctor_json(const doctor::RemoteDoctorSummary& summary);

// `shardmill doctor --training` and `--compare`: training_text.cpp

std::string training_as_text(const doctor::TrainingDoctorSummary& summary);

std::string comparison_as_text(const doctor::Comparison& comparison);
std::string comparison_as_json(const doctor::Comparison& comparison);

/// True if a difference matters.
bool differs(const doctor::Comparison& comparison);

}  // namespace shardmill::cli
