// staging: reads the sources that are to be added into one tar, as `repack` would.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "pipeline/admission_state.hpp"
#include "pipeline/pack_shards.hpp"
#include "pipeline/workers.hpp"
#include "repack/plan.hpp"
#include "shard/key_set.hpp"
#include "update/arrangement.hpp"
#include "update/options.hpp"

namespace shardmill::update {

/// A new shard that is whole already.
struct StagedShard {
  pipeline::PackedShard packed;
  std::uint64_t tar_bytes = 0;
  std::string manifest;
  std::uint64_t with_text = 0;  // samples
};

struct Staged {
  std::vector<StagedShard> shards;  // those that could be filled on the way
  struct Tar {
    std::string tar;
    std::string manifest;
  };
  std::vector<Tar> others;  // where all other samples are
  std::string reject_log;
  pipeline::IntakeCounts counts;  // of all
};

/// Where the new samples stand.
std::vector<std::string> manifests_of(const Staged& staged);

/// The sources, with the recipe of the dataset. Throws Error as `repack` does.
repack::RepackPlan plan_staging(const UpdateOptions& options, const manifest::DatasetRecord& dataset,
                                const dataset::Recipe& recipe, base::Reporter& reporter);

/// The new shards that can be filled while the sources are read.
struct NewShards {
  std::uint32_t first = 0;  // number of the first one
  Likeness like;            // counts by the datasets of the plan's inputs
};

/// What the dataset has already, and no new sample can have.
struct Known {
  std::shared_ptr<const shard::KeySet> keys;
  std::shared_ptr<const shard::KeySet> withheld;  // of samples that were removed; null: they may come back
  std::shared_ptr<pipeline::SoundSet> sounds;     // null: the recipe does not compare sounds
};

/// Works in the folder `work`; goes on with what is there. `fingerprint`: of all that the result depends on.
/// `wanted`: none where no shard can be filled on the way. Throws
/// Error when an unfinished run there differs.
Staged stage(const repack::RepackPlan& plan, const UpdateOptions& options, const std::string& work,
             const std::string& fingerprint, const Known& known, const std::optional<NewShards>& wanted,
             pipeline::Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::update
