// Lines that several summaries have: balance, doubts, tables, plans for training, and needs of loaders.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/json_writer.hpp"
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

/// Whether the shards are equal, and if not, why. Empty if they are.
std::string unevenness_text(const manifest::DatasetRecord& dataset,
                            const std::optional<deal::LeastSpread>& least_spread);

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

}  // namespace shardmill::cli
