// SplitPlan: the datasets that a run with a split makes, their sources, and their folders.
// make_splits: reads the samples once, chooses which split gets which, and makes the shards of all splits.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "manifest/run_record.hpp"
#include "pipeline/admission_state.hpp"
#include "pipeline/workers.hpp"
#include "repack/plan.hpp"
#include "repack/records.hpp"
#include "repack/split.hpp"

namespace shardmill::repack {

struct SplitPlan {
  const SplitOptions& options;
  std::vector<std::string> names{};  // of the splits that may come of it, train first
  RepackPlan train{};                // its sources are those of all splits

  const std::string& out_folder() const { return options.whole.out_folder; }
  std::string folder_of(const std::string& split) const;
  std::string work_of(const std::string& split) const;
  const dataset::Recipe& recipe() const { return train.recipe; }

  /// What was asked for, in words for people: "dev=7200 by speaker".
  std::string wished() const;
  /// Everything that the result depends on, one line each.
  std::string fingerprint() const;
};

/// `options` must outlive the plan. Throws UsageError, and Error where nothing can be made.
SplitPlan make_split_plan(const SplitOptions& options, base::Reporter& reporter);

/// "samples=1000, a multiple of 8".
std::string text_of(const deal::ShardSizing& sizing);

/// A dataset whose shards are whole, and still in the work folder.
struct MadeSplit {
  std::string name;
  std::uint64_t groups = 0;
  std::uint32_t shards = 0;
  pipeline::IntakeCounts counts{};
  std::vector<FinishedShard> finished{};
};

struct MadeSplits {
  std::list<MadeSplit> splits{};  // train first
  bool resumed = false;
};

/// Goes on with the work of an earlier run, if its folders hold some. Throws SplitError when the samples
/// cannot be split as it was wished, and Error when anything else stops the run.
MadeSplits make_splits(const SplitPlan& plan, pipeline::Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::repack
