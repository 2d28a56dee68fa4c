// Facts: what the manifests of a dataset say, as far as an update must know it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "check/member_check.hpp"
#include "dataset/records.hpp"
#include "pipeline/known_samples.hpp"
#include "pipeline/workers.hpp"
#include "shard/keys.hpp"
#include "update/removal.hpp"

namespace shardmill::update {

struct Facts {
  std::vector<check::ShardContents> shards;  // without keys
  check::ShardContents pending;              // the same
  std::vector<std::uint32_t> with_removed;   // shards that hold samples to remove, by their numbers
  bool pending_with_removed = false;
  std::shared_ptr<shard::KeySet> keys;  // of all samples that stay
};

/// The sounds of all samples that stay, under their keys; `path`: where their names are kept. Throws Error
/// when a manifest does not tell them.
std::shared_ptr<pipeline::SoundSet> sounds_of(const dataset::DatasetRecords& records, const Removal* removed,
                                              const std::string& path, base::Reporter& reporter);

/// The samples and speakers that stay out because this or an earlier update removed them. A speaker who has
/// samples in the dataset again does not stay out. `removal`: null, or what read_facts() has found.
std::shared_ptr<shard::KeySet> withheld_from(const dataset::DatasetRecords& records, const Removal* removal,
                                             base::Reporter& reporter);

/// Where the manifest of a shard is.
std::string manifest_path(const dataset::DatasetRecords& records, std::uint64_t shard);

/// Reads all manifests. `removal` (null: nothing is removed) remembers which of its names were found.
Facts read_facts(const dataset::DatasetRecords& records, Removal* removal, pipeline::Workers& workers,
                 base::Reporter& reporter);

}  // namespace shardmill::update
