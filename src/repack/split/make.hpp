// make_splits: reads the samples once, chooses which split gets which, and makes the shards of all splits.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include "pipeline/admission_state.hpp"
#include "pipeline/workers.hpp"
#include "repack/records.hpp"
#include "repack/split/plan.hpp"

namespace shardmill::repack {

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
