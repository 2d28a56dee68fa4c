// Reads the sources that are to be added into one tar, as `repack` would; and says how many rows of the
// tables for them matched.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "pipeline/admission_state.hpp"
#include "pipeline/sample_metadata.hpp"
#include "pipeline/workers.hpp"
#include "repack/options.hpp"
#include "repack/plan.hpp"
#include "shard/keys.hpp"
#include "update/options.hpp"

namespace shardmill::update {

/// The new samples, and what is left out of the sources.
struct Staged {
  std::string tar;       // empty: all are left out
  std::string manifest;  // the same
  std::string reject_log;
  pipeline::IntakeCounts counts;

  bool has_samples() const { return !tar.empty(); }
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

/// Those that are given with the update, or else those that the dataset was made with and that are still
/// there, with a warning for others. Throws Error for one that has changed since.
std::vector<pipeline::TableFile> tables_for(const UpdateOptions& options,
                                            const std::vector<pipeline::TableFile>& of_dataset,
                                            const source::TreeOptions& tree, base::Reporter& reporter);

/// What became of the tables that were given with the update. Throws Error where one fits nothing.
std::vector<repack::TableMatch> match_tables(const UpdateOptions& options, const repack::RepackPlan& plan,
                                             const Staged& staged);

/// Adds the tables of an update to those that a dataset was made with, so that all of it can be made again.
void add_tables(const std::vector<pipeline::TableFile>& used, std::vector<pipeline::TableFile>& all);

}  // namespace shardmill::update
