// RepackPlan: exactly what a run will do, made from options and sources.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "repack/options.hpp"
#include "source/source_set.hpp"

namespace shardmill::repack {

struct RepackPlan {
  source::SourceSet sources;
  pipeline::Inputs inputs;                 // as they are read: shuffled, with weights
  deal::InputEstimate estimate;            // zeros when it was not needed
  std::vector<double> dataset_seconds;     // about how much each dataset holds; empty when not needed
  std::set<std::string> audio_extensions;  // those that the estimate has seen
  std::uint32_t shards = 1;
  bool is_trial = false;  // of a dry run, which looks into some audio files
  std::uint64_t max_rejects = 0;
  dataset::Recipe recipe;  // with the number of shards and all shares settled
};

/// Looks up the sources. Estimates how much they hold if the number of shards depends on it or free space is
/// short. Throws UsageError and Error.
RepackPlan make_plan(const RepackOptions& options, base::Reporter& reporter);

/// Throws UsageError unless every dataset exists that `option` names.
void check_names(const pipeline::Inputs& inputs, std::string_view option,
                 const std::map<std::string, double>& named);

/// Looks for problems that would stop the run later, without decoding anything: splits that
/// would be mixed, keys that come twice, shards without transcripts. Throws Error for all of it together.
void check_sources(const RepackPlan& plan, base::Reporter& reporter);

/// All files of the dataset that the plan makes, relative to its folder.
std::vector<std::string> names_to_be_written(const RepackPlan& plan);

/// What the mill is asked for, in a work folder of this plan. `inputs`: all of the plan's, or some.
pipeline::MillPlan mill_plan(const RepackPlan& plan, pipeline::Inputs inputs, const std::string& work_folder,
                             const pipeline::CheckpointInterval& checkpoints);

}  // namespace shardmill::repack
