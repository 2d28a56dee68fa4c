// RepackPlan: from options and sources to what exactly will be done, and a text that tells two plans apart.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "repack/options.hpp"
#include "source/source_set.hpp"

namespace shardmill::repack {

struct RepackPlan {
  source::SourceSet sources;
  pipeline::Inputs inputs;                 // as they are read: shuffled, with weights
  deal::InputEstimate estimate;            // zeros where it was not needed
  std::vector<double> dataset_seconds;     // about what each dataset holds; empty where nobody asked
  std::set<std::string> audio_extensions;  // those that the estimate met
  std::uint32_t shards = 1;
  dataset::Recipe recipe;  // with the number of shards and all shares settled
};

/// Looks up the sources, estimates where the number of shards depends on it or room is short. Throws
/// UsageError and Error.
RepackPlan make_plan(const RepackOptions& options, base::Reporter& reporter);

/// All files of the dataset that the plan makes, from its folder.
std::vector<std::string> names_to_be_written(const RepackPlan& plan);

/// Everything the result depends on, a line each: an unfinished run with another text is not gone on with.
std::string fingerprint(const RepackPlan& plan);

/// The first thing in which two fingerprints differ, said for people: "shards: was 32, now 16"; nullopt when
/// a run begun with `old` may go on with `now`.
std::optional<std::string> difference(const std::string& old, const std::string& now);

}  // namespace shardmill::repack
