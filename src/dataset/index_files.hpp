// index_files: writes the files that other projects' loaders want beside shards.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/reporter.hpp"
#include "codec/codec.hpp"
#include "manifest/index_kind.hpp"
#include "manifest/path_lists.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::dataset {

using IndexKinds = std::vector<manifest::IndexKind>;

struct ShardToIndex {
  std::string path;      // where it lies now
  std::string name;      // where it will lie, relative to the folder that the indexes are for
  std::string manifest;  // where its manifest lies now; empty: it has none
};

/// Throws UsageError when an index of `kinds` would be of no use for shards of this codec.
void check_codec(const IndexKinds& kinds, codec::Codec codec);

/// Their names, relative to the folder that the indexes are for. `datasets` are those the samples come from.
std::vector<std::string> index_file_names(const IndexKinds& kinds,
                                          const std::vector<std::string>& shard_names,
                                          const std::vector<std::string>& datasets);

struct WrittenIndexes {
  std::vector<manifest::Checksum> files;  // by name
  std::uint64_t samples = 0;              // found in the shards; 0 where only manifests were read
};

/// Writes them below `folder`, each whole and synced, several shards at a time. Of plain shards it reads the
/// headers only. Throws Error for shards that cannot have such an index.
WrittenIndexes write_index_files(const IndexKinds& kinds, const std::vector<ShardToIndex>& shards,
                                 const std::string& folder, pipeline::Workers& workers,
                                 base::Reporter& reporter);

}  // namespace shardmill::dataset
