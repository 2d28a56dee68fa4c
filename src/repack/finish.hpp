// The end of a run: its packed shards, the records of a new dataset, and the summary.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "codec/codec.hpp"
#include "pipeline/mill.hpp"
#include "pipeline/pack_shards.hpp"
#include "repack/options.hpp"
#include "repack/plan.hpp"
#include "repack/records.hpp"
#include "repack/user_lists.hpp"

namespace shardmill::repack {

/// When a run began, and how long it has taken since.
class RunClock {
 public:
  RunClock();

  const std::string& started() const noexcept { return started_; }  // "2026-01-31T12:00:00Z"
  double elapsed_seconds() const;

 private:
  std::chrono::steady_clock::time_point start_;
  std::string started_;
};

codec::EncoderOptions encoder_options(const dataset::Recipe& recipe);

/// The warning of a mix of rates, channels or values, because it breaks training, often much later.
std::optional<Error> mix_in(const manifest::DatasetRecord& dataset);

/// How equal any deal of the samples in this manifest could make the shards; nullopt if they are equal.
std::optional<deal::LeastSpread> least_spread_of(const manifest::DatasetRecord& dataset,
                                                 const std::string& manifest, Shares shares);

/// Fills in the fields of run.json that any run in `folder` has: when and how it ran, and on which machine.
void describe_run(manifest::RunRecord& run, const RunOptions& options, const std::string& folder,
                  const dataset::Recipe& recipe, const RunClock& clock, const pipeline::Workers& workers);
/// Adds the files of the sources to run.json.
void add_inputs(manifest::RunRecord& run, const source::SourceSet& sources);

/// A shard as it was packed from its spool.
FinishedShard finished_shard(const pipeline::PackedShard& packed, std::uint64_t tar_bytes,
                             shard::ShardTally tally);
/// Packs the shards of a mill that has ended.
std::vector<FinishedShard> pack(pipeline::Mill& mill, const dataset::Recipe& recipe,
                                pipeline::Workers& workers, base::Reporter& reporter);

/// A run that makes a dataset, with all shards finished.
struct FinishedRun {
  const RepackOptions& options;
  const RepackPlan& plan;
  const pipeline::IntakeCounts& counts;
  std::vector<FinishedShard> shards;
  std::vector<std::string> reject_logs;  // together they hold all rejects
  std::string work_folder;
  const RunClock& clock;
  bool resumed = false;
};

struct Recorded {
  RepackSummary summary;
  dataset::Renames renames;  // that make the dataset complete
  ListedSamples listed;
};

/// Writes the records into the work folder. All shards must be durable, and everything is on return.
Recorded record(FinishedRun&& finished, pipeline::Workers& workers, base::Reporter& reporter);

/// What became of the tables that the user gave. Warns of keys that the user named and no source has. Throws
/// as account_of_tables() does.
std::vector<TableMatch> compare_with_lists(const pipeline::IntakeOptions& intake, const ListedSamples& listed,
                                           base::Reporter& reporter);

}  // namespace shardmill::repack
