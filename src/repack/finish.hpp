// The last steps of a run: it writes the records, gives the final names, and sums up.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "codec/codec.hpp"
#include "repack/options.hpp"
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

/// Whether all shards hold as many samples of each dataset.
enum class Shares { alike, any };

/// How equal any deal of the samples in this manifest could make the shards; nullopt if they are equal.
std::optional<deal::LeastSpread> least_spread_of(const manifest::DatasetRecord& dataset,
                                                 const std::string& manifest, Shares shares);
std::uint64_t input_bytes(const RepackPlan& plan);

struct Recorded {
  dataset::Renames renames;  // that make the dataset complete
  RepackSummary summary;
};

/// Writes the records into the work folder. All shards must be durable, and everything is on return.
Recorded record(const FinishedRun& finished, const RunClock& clock, bool resumed);

/// What became of the tables that the user gave. Warns of keys that the user named and no source has. Throws
/// as account_of_tables() does.
std::vector<TableMatch> compare_with_lists(const pipeline::IntakeOptions& intake, const ListedSamples& listed,
                                           base::Reporter& reporter);

/// Writes the records and gives everything its final name. All shards must be durable.
RepackSummary record_and_publish(const FinishedRun& finished, const RunClock& clock, bool resumed);

}  // namespace shardmill::repack
