// repack_plan: from options and sources to what exactly will be done, and a text that tells two plans apart.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "repack/options.hpp"
#include "source/source_set.hpp"

namespace shardmill::repack {

struct RepackPlan {
  source::SourceSet sources;
  pipeline::Inputs inputs;                 // as they are read: shuffled, with weights
  deal::InputEstimate estimate;            // zeros where it was not needed
  std::set<std::string> audio_extensions;  // those that the estimate met
  std::uint32_t shards = 1;
  /// Those that shape the result, defaults included; what dataset.json records.
  std::vector<std::pair<std::string, std::string>> options;
};

/// Looks up the sources, estimates where the number of shards depends on it or room is short. Throws
/// UsageError and Error.
RepackPlan make_plan(const RepackOptions& options, base::Reporter& reporter);

/// All files of the dataset that the plan makes, from its folder.
std::vector<std::string> names_to_be_written(const RepackOptions& options, const RepackPlan& plan);

/// Everything the result depends on, a line each: an unfinished run with another text is not gone on with.
std::string fingerprint(const RepackPlan& plan);

/// The first line in which two fingerprints differ, said for people; nullopt when a run begun with `old` may
/// go on with `now`. Leaving --on-error or --on-duplicate at stop up to now does not stand in the way of
/// skipping from now.
std::optional<std::string> difference(const std::string& old, const std::string& now);

}  // namespace shardmill::repack
