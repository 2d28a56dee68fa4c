// ReportFacts: what the records in a dataset's folder say, summed up as far as a page of figures needs it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "shardmill/base/reporter.hpp"
#include "shardmill/commands/dataset_records.hpp"
#include "shardmill/commands/duration_histogram.hpp"
#include "shardmill/manifest/rank_plan_record.hpp"
#include "shardmill/manifest/reject.hpp"
#include "shardmill/pipeline/workers.hpp"

namespace shardmill::commands {

/// What the dataset has of one shard that it was made from.
struct SourceShare {
  std::string dataset;
  std::string path;
  std::uint64_t samples = 0;
  std::chrono::nanoseconds duration{};
};

struct RejectGroup {
  static constexpr std::size_t kExamples = 3;

  manifest::RejectReason reason{};
  std::uint64_t count = 0;
  std::vector<manifest::Reject> examples{};  // the first ones
};

struct ReportFacts {
  DatasetRecords records;                              // each of them is there, and has shards
  std::map<std::string, DurationHistogram> durations;  // by dataset
  /// By dataset, in their order, and path. Empty where nothing came from shards, or from too many to tell
  /// apart.
  std::vector<SourceShare> sources;
  bool has_other_sources = false;    // recordings, not shards
  std::vector<RejectGroup> rejects;  // the most frequent first
  std::optional<manifest::RankPlanRecord> plan;
};

/// Reads the records and all manifests, none of the shards; holds little in memory however many samples there
/// are. Throws Error when the dataset is not finished, or its records cannot be read or contradict each
/// other.
ReportFacts read_report_facts(const std::string& folder, pipeline::Workers& workers,
                              base::Reporter& reporter);

}  // namespace shardmill::commands
