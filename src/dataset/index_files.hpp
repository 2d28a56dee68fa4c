// index_files: writes the files that other projects' loaders want next to shards.
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

bool has(const IndexKinds& kinds, manifest::IndexKind kind);

struct ShardToIndex {
  std::string path;      // where it is now
  std::string name;      // where it will be, relative to the folder that the indexes are for
  std::string manifest;  // where its manifest is now; empty: it has none
  std::string listed{};  // how lists with absolute paths name it; only for shards of a dataset
  std::string sha256{};  // the same
};

/// True for an index below lhotse/, whose name contains the absolute path of a shard or manifest.
bool is_rooted_index(std::string_view index_file);

/// True for an index that says where the dataset lies. Like data.list it is not in SHA256SUMS, which stay
/// right when the dataset is moved.
bool depends_on_place(std::string_view index_file);

/// True for an index file that a sound dataset may lack: earlier versions did not write it, and keys that are
/// there twice prevent it.
bool may_be_left_out(std::string_view index_file);

/// Throws UsageError when an index of `kinds` is useless for shards of this codec.
void check_codec(const IndexKinds& kinds, codec::Codec codec);

/// The names of all index files, relative to the folder that the indexes are for. `datasets` are the datasets
/// of the samples.
std::vector<std::string> index_file_names(const IndexKinds& kinds,
                                          const std::vector<std::string>& shard_names,
                                          const std::vector<std::string>& datasets);

struct WrittenIndexes {
  std::vector<manifest::Checksum> files;  // sorted by name
  std::uint64_t samples = 0;              // found in the shards; 0 when only manifests were read
};

/// Writes the files below `folder`, each whole and synced, several shards at a time. Reads only the headers
/// of the shards. Throws Error for shards that cannot have such an index.
WrittenIndexes write_index_files(const IndexKinds& kinds, const std::vector<ShardToIndex>& shards,
                                 const std::string& folder, pipeline::Workers& workers,
                                 base::Reporter& reporter);

}  // namespace shardmill::dataset
