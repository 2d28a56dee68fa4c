// broken_promises: which utterances of a table no archive held, found from the samples that a run has taken
// and left out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "manifest/reject.hpp"
#include "pipeline/intake/feed.hpp"
#include "pipeline/intake/key_filter.hpp"
#include "shard/keys.hpp"
#include "source/unusable.hpp"

namespace shardmill::pipeline {

struct Promised {
  const std::vector<source::Promise>& promises;
  const std::vector<DatasetInput>& datasets;  // their weights may take no copy of a sample
  std::uint64_t seed = 0;
};

/// To be called when all input was read. `taken`: the keys that samples have in the dataset; `work_folder`:
/// the logs in it are synced.
std::vector<manifest::Reject> broken_promises(const Promised& what, const KeyPatterns& keys,
                                              const shard::KeySet& taken, const std::string& work_folder);
/// The same of all parts of a run.
std::vector<manifest::Reject> broken_promises(const Promised& what, const KeyPatterns& keys,
                                              const std::vector<std::string>& work_folders);

}  // namespace shardmill::pipeline
