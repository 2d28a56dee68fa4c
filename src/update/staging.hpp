// staging: reads the sources that are to be added into one tar, as `repack` would.
#pragma once

#include <memory>
#include <string>

#include "base/reporter.hpp"
#include "pipeline/admission_state.hpp"
#include "pipeline/workers.hpp"
#include "repack/plan.hpp"
#include "shard/key_set.hpp"
#include "update/options.hpp"

namespace shardmill::update {

/// The new samples.
struct Staged {
  std::string tar;
  std::string manifest;
  std::string reject_log;
  pipeline::IntakeCounts counts;
};

/// The sources, with the recipe of the dataset. Throws Error as `repack` does.
repack::RepackPlan plan_staging(const UpdateOptions& options, const manifest::DatasetRecord& dataset,
                                const dataset::Recipe& recipe, base::Reporter& reporter);

/// What the dataset has already, and no new sample can have.
struct Known {
  std::shared_ptr<const shard::KeySet> keys;
  std::shared_ptr<const shard::KeySet> withheld;  // of samples that were removed; null: they may come back
  std::shared_ptr<pipeline::SoundSet> sounds;     // null: the recipe does not compare sounds
};

/// Works in the folder `work`; continues the work that is there. `fingerprint`: of all that the result
/// depends on. Throws Error when an unfinished run there differs.
Staged stage(const repack::RepackPlan& plan, const UpdateOptions& options, const std::string& work,
             const std::string& fingerprint, const Known& known, pipeline::Workers& workers,
             base::Reporter& reporter);

}  // namespace shardmill::update
