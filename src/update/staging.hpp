// staging: reads the sources that are to be added into one tar, as `repack` would.
#pragma once

#include <memory>
#include <string>

#include "base/reporter.hpp"
#include "pipeline/admission_state.hpp"
#include "pipeline/key_set.hpp"
#include "pipeline/workers.hpp"
#include "repack/plan.hpp"
#include "update/options.hpp"

namespace shardmill::update {

struct Staged {
  std::string tar;
  std::string manifest;
  std::string reject_log;
  pipeline::IntakeCounts counts;
};

/// The sources, with the recipe of the dataset. Throws Error as `repack` does.
repack::RepackPlan plan_staging(const UpdateOptions& options, const manifest::DatasetRecord& dataset,
                                const dataset::Recipe& recipe, base::Reporter& reporter);

/// Works in the folder `work`; goes on with what is there. `fingerprint`: of all that the result depends on.
/// `taken`: keys that no new sample can have. Throws Error when an unfinished run there differs.
Staged stage(const repack::RepackPlan& plan, const UpdateOptions& options, const std::string& work,
             const std::string& fingerprint, std::shared_ptr<const pipeline::KeySet> taken,
             pipeline::Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::update
