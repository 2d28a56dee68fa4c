// A finished dataset as a source: its shards, and the records that say what their samples are.
#pragma once

#include <string>
#include <vector>

#include "source/source_file.hpp"

namespace shardmill::source {

/// True for a folder that repack has finished, or had begun to fill with its records.
bool is_dataset(const std::string& folder);

/// Throws Error for a dataset that is not finished, or whose format this program does not know.
void check_readable(const std::string& folder);

struct FoundDataset {
  std::vector<SourceFile> shards;
  std::vector<SourceFile> descriptions;  // its records
  std::vector<std::string> parts;        // the datasets in it
  std::vector<Unusable> unusable;        // shards and manifests that are missing or have another size
};

/// `name`: for all samples; empty: they keep the names of the datasets they belong to. Throws Error for
/// records that cannot be read, that were changed, or that contradict each other.
FoundDataset find_dataset(const std::string& folder, const std::string& name);

}  // namespace shardmill::source
