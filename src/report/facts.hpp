// ReportFacts: what the records of a dataset say, summed up for the report page.
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
#include "report/quality_counts.hpp"

namespace shardmill::report {

/// How much of the dataset came from one source shard.
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

/// What a loader makes of the shards: the steps of its ranks, and the padding of its batches.
struct TrainingFacts {
  std::string loader;
  std::uint64_t ranks = 0;
  std::uint64_t workers = 0;  // of each rank
  struct Epoch {
    std::uint64_t fewest = 0;  // steps of any rank
    std::uint64_t most = 0;
    double padding = 0;  // of all that is in batches
    double waiting = 0;  // of all ranks' time
  };
  std::vector<Epoch> epochs{};
};

/// Samples of like duration.
struct BucketFacts {
  double from_seconds = 0;
  double audio = 0;    // share of the dataset
  double samples = 0;  // the same
};

struct ReportFacts {
  dataset::DatasetRecords records;                     // each of them exists, and there are shards
  std::map<std::string, DurationHistogram> durations;  // by dataset
  /// By dataset, in the order of the datasets, and path. Empty when nothing came from shards, or from too
  /// many to tell them apart.
  std::vector<SourceShare> sources;
  QualityCounts quality{};
  bool has_other_sources = false;    // some audio came from recordings, not from shards
  std::vector<RejectGroup> rejects;  // the most frequent first
  std::optional<manifest::RankPlanRecord> plan;
  std::string batches{};                  // "batches of 16 samples"; empty: nobody asked
  std::vector<TrainingFacts> training{};  // where batches were asked for
  std::vector<BucketFacts> buckets{};     // where buckets were asked for
};

/// Reads the records and all manifests, but no shards. Memory does not grow with the number of samples.
/// Throws Error when the dataset is not finished, or when its records cannot be read or contradict each
/// other.
ReportFacts read_report_facts(const std::string& folder, pipeline::Workers& workers,
                              base::Reporter& reporter);

}  // namespace shardmill::report
