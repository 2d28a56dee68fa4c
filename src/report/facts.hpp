// ReportFacts: the records of a dataset, summed up for the report page.
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
#include "model/audio_info.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::report {

/// Counts samples by duration, in bounded memory: in steps of 10 ms up to an hour, and longer samples in one
/// more step. One thread at a time.
class DurationHistogram {
 public:
  using Duration = std::chrono::nanoseconds;

  static constexpr Duration kStep = std::chrono::milliseconds(10);
  static constexpr std::size_t kSteps = 360'000;

  void add(Duration duration);
  void add(const DurationHistogram& other);

  std::uint64_t samples() const noexcept { return samples_; }
  Duration total() const noexcept { return total_; }
  /// Zero when there are no samples.
  Duration shortest() const noexcept { return shortest_; }
  Duration longest() const noexcept { return longest_; }
  /// The start of the step that contains the `share`-quantile (0 to 1) of the samples.
  Duration quantile(double share) const;
  /// The number of samples in the steps from `first` to before `last`, or to the end.
  std::uint64_t count(std::size_t first, std::size_t last) const;

 private:
  std::vector<std::uint64_t> counts_;  // only as long as the longest sample needs
  std::uint64_t samples_ = 0;
  Duration total_{};
  Duration shortest_{};
  Duration longest_{};
};

/// The number of samples with clipped values, an offset, silence or a narrow band.
struct QualityCounts {
  // The lowest shares with which a sample counts.
  static constexpr double kClipped = 0.001;
  static constexpr double kDcOffset = 0.01;
  static constexpr double kSilence = 0.5;

  std::uint64_t measured = 0;
  std::uint64_t clipped = 0;
  std::uint64_t dc_offset = 0;
  std::uint64_t silent = 0;  // half of it or more, but not all
  std::uint64_t all_zero = 0;
  std::uint64_t narrow_band = 0;

  void add(const AudioQuality& quality);
  void add(const QualityCounts& other);
  bool has_any() const { return clipped + dc_offset + silent + all_zero + narrow_band != 0; }
};

/// The part of the dataset that came from one source shard.
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

/// The steps of the ranks of a loader, and the padding of its batches.
struct TrainingFacts {
  std::string loader;
  std::uint64_t ranks = 0;
  std::uint64_t workers = 0;  // of each rank
  struct Epoch {
    std::uint64_t fewest = 0;  // steps of any rank
    std::uint64_t most = 0;
    double padding = 0;  // share of the contents of batches
    double waiting = 0;  // share of all ranks' time
  };
  std::vector<Epoch> epochs{};
};

/// Samples of similar duration.
struct BucketFacts {
  double from_seconds = 0;
  double audio = 0;    // share of the dataset
  double samples = 0;  // the same
};

struct ReportFacts {
  dataset::DatasetRecords records;                     // all of them; there is at least one shard
  std::map<std::string, DurationHistogram> durations;  // by dataset
  /// By dataset, in the order of the datasets, and path. Empty if no sample came from shards, or if there are
  /// too many shards to list them.
  std::vector<SourceShare> sources;
  QualityCounts quality{};
  bool has_other_sources = false;    // some audio came from recordings, not from shards
  std::vector<RejectGroup> rejects;  // the most frequent first
  std::optional<manifest::RankPlanRecord> plan;
  std::string batches{};                  // "batches of 16 samples"; empty without batches
  std::vector<TrainingFacts> training{};  // with batches
  std::vector<BucketFacts> buckets{};     // with buckets
};

/// Reads the records and all manifests, but no shards. Memory does not grow with the number of samples.
/// Throws Error if the dataset is not finished, or if its records cannot be read or contradict each other.
ReportFacts read_report_facts(const std::string& folder, pipeline::Workers& workers,
                              base::Reporter& reporter);

}  // namespace shardmill::report
