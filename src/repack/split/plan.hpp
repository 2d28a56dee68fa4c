// SplitPlan: the datasets that a run with a split makes, their sources, and their folders.
#pragma once

#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "manifest/run_record.hpp"
#include "repack/plan.hpp"
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

}  // namespace shardmill::repack
