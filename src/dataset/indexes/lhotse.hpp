// The indexes with which Lhotse and NeMo find single lines of the manifests and single samples of the tars.
#pragma once

#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "dataset/index_files.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::dataset {

/// The names of the indexes of manifests in a dataset of `shards` shards.
std::vector<std::string> line_index_names(std::size_t shards);

/// One index for each manifest and one for the file of all samples, which is the manifests one after another.
/// Writes nothing for shards without manifests.
void write_line_indexes(const std::vector<ShardToIndex>& shards, const std::string& folder,
                        pipeline::Workers& workers, base::Reporter& reporter, WrittenIndexes& written);

/// An index below lhotse/, for a dataset that has Energon's indexes beside its tars.
struct RootedIndex {
  std::string name;    // it contains the absolute path of the indexed file
  std::string beside;  // the index that it is made from
  std::string tar;     // where the tar is; empty: it is the index of a manifest
};

std::vector<RootedIndex> rooted_indexes(const std::vector<ShardToIndex>& shards);
/// What the index should hold. `folder` has the index beside. Throws Error when a file cannot be read.
std::string text_of(const RootedIndex& index, const std::string& folder);
/// Writes them below `folder`, which must have all other indexes already.
void write_rooted_indexes(const std::vector<ShardToIndex>& shards, const std::string& folder,
                          WrittenIndexes& written);

}  // namespace shardmill::dataset
