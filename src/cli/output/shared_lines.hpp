// Lines that several summaries have: balance, doubts, tables, plans for training, and needs of loaders.
// Tables, bars and histograms for the terminal.
// Proposal: the repack command that fits what inspect has seen, and what a user has to decide first.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/json_writer.hpp"
#include "check/inspection.hpp"
#include "deal/loader_rule.hpp"
#include "manifest/dataset_record.hpp"
#include "repack/options.hpp"

namespace shardmill::cli {

/// A line of a summary: the name of a value, and the value.
inline std::string row(std::string_view name, const std::string& value) {
  return fmt::format("  {:<14} {}\n", name, value);
}

inline double seconds_of(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

/// "shards differ by at most 0.016 ms of audio and 1 sample".
std::string spread_text(const manifest::DatasetRecord::Balance& balance);

/// Whether the shards are equal, and if not, why. Empty if they are. `shares` are those of the deals that
/// `least_spread` is about.
std::string unevenness_text(const manifest::DatasetRecord& dataset,
                            const std::optional<deal::LeastSpread>& least_spread, repack::Shares shares);

/// How many samples were left out, by reason, and the file that lists them, unless none is listed there.
std::string left_out_text(const std::map<std::string, std::uint64_t>& left_out);

/// A row with the number of samples that may be wrong; empty without such samples.
std::string doubt_as_text(const manifest::DatasetRecord& dataset);

/// "wenet: batches of 16 samples take 64 steps on each of 8 ranks, in every epoch".
std::string plan_for_text(const deal::PlanFor& plan, std::uint64_t samples);

/// The same for a finished dataset, or why its ranks do not take the same steps.
std::string kept_plan_text(const deal::PlanFor& plan, const manifest::DatasetRecord& dataset);

/// Rows about the tables of --metadata.
std::string tables_as_text(const std::vector<repack::TableMatch>& tables);
/// Writes the member `metadata`, unless there are no tables.
void write_tables(base::JsonWriter& json, const std::vector<repack::TableMatch>& tables);

/// A row for each loader that cannot read the planned or written shards, with the option that helps. Only
/// audio in `summary` counts.
std::string limits_as_text(const repack::RepackSummary& summary, const repack::RepackOptions& options);
/// Writes the member `not_for` of an open object.
void write_limits(base::JsonWriter& json, const repack::RepackSummary& summary,
                  const repack::RepackOptions& options);

using TextRow = std::vector<std::string>;

/// All rows have as many cells as the first.
std::string text_table(const std::vector<TextRow>& rows);

/// "1.5%", with more digits below a thousandth.
std::string percent(double share);

enum class Glyphs { ascii, unicode };

/// The glyphs that the locale of this process can show.
Glyphs terminal_glyphs();

/// A bar of about `length` columns.
std::string bar(double length, Glyphs glyphs);

enum class Quantity { seconds, bytes };

/// One line for each bin: `indent`, the range of values, a bar, and the count. All bins are equally wide.
/// There is only one if all values are equal.
std::string bar_chart(std::span<const double> values, Quantity quantity, std::string_view indent,
                      Glyphs glyphs);

struct Proposal {
  std::vector<std::string> decisions;  // a sentence each
  std::string command;                 // one line of a shell
};

/// Nullopt if nothing was decoded, or if there is one dataset and nothing is wrong with it.
std::optional<Proposal> proposal_for(const check::InspectSummary& summary,
                                     const check::InspectOptions& options);

/// The options that bring all audio of a dataset to one form; empty if it has one already.
std::string options_for_one_form(const std::vector<manifest::DatasetRecord::AudioKind>& kinds);

}  // namespace shardmill::cli
