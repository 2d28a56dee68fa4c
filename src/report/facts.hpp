// ReportFacts: what the records in a dataset's folder say, summed up as far as a page of figures needs it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "dataset/records.hpp"
#include "manifest/rank_plan_record.hpp"
#include "manifest/reject.hpp"
#include "pipeline/workers.hpp"
#include "report/duration_histogram.hpp"

namespace shardmill::report {

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
  dataset::DatasetRecords records;                     // each of them is there, and has shards
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

}  // namespace shardmill::report
