// Loader indexes: the files with which wids, DALI and Megatron-Energon find samples in plain tar shards.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/shard_layout.hpp"

namespace shardmill::manifest {

/// A shard in the index of a whole dataset.
struct IndexedShard {
  std::string name;  // relative to the folder that the index is for
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;
};

/// WebDataset's wids: one file for all shards, "wids-shard-index-v1". Names in it are relative to the file.
inline constexpr std::string_view kWidsIndex = "shardindex.json";
std::string wids_index(std::vector<IndexedShard> shards);
/// Throws Error for a shard in which wids, which reads tars in its own way, would find other samples.
void check_for_wids(const ShardLayout& layout, const std::string& path);

/// NVIDIA DALI: one file for each shard, as wds2idx writes it, version 1.2. "a/x.tar" has "a/x.idx".
std::string dali_index_name(std::string_view shard_name);
std::string dali_index(const ShardLayout& layout);

/// Megatron-Energon: one file for each shard ("a/x.tar" has "a/x.tar.idx") with the places where its samples
/// begin and where the last one ends, as 64-bit little-endian numbers; and files for all, in their own
/// folder. All shards are in the train split, and are read as crude samples. The database finds single
/// samples by their keys; the UUID changes with it.
inline constexpr std::string_view kEnergonFolder = ".nv-meta";
inline constexpr std::string_view kEnergonInfo = ".nv-meta/.info.json";
inline constexpr std::string_view kEnergonSplit = ".nv-meta/split.yaml";
inline constexpr std::string_view kEnergonDataset = ".nv-meta/dataset.yaml";
inline constexpr std::string_view kEnergonDatabase = ".nv-meta/index.sqlite";
inline constexpr std::string_view kEnergonUuid = ".nv-meta/index.uuid";
std::string energon_index_name(std::string_view shard_name);
std::string energon_index(const ShardLayout& layout);
std::string energon_info(const std::vector<IndexedShard>& shards);
/// Throws Error for a shard name that Energon would read as a pattern.
std::string energon_split(const std::vector<IndexedShard>& shards);
std::string energon_dataset();

/// Lhotse, and NeMo with it: for each plain tar and each manifest a file "X.idx" with the places where its
/// samples or lines begin and the size of the file, as 64-bit little-endian numbers. It lies beside X, or
/// below a folder (`indexes_root`) that repeats the absolute path of X. Energon's index of a tar has the same
/// name beside the tar, and another last number, which both projects insist on.
inline constexpr std::string_view kLhotseFolder = "lhotse";  // the indexes_root of a dataset
std::string lhotse_index_name(std::string_view file_name);
/// "lhotse/data/mixed/shards/X.tar.idx" for "/data/mixed/shards/X.tar". Throws Error for a path that leads
/// out of the folder.
std::string lhotse_rooted_name(std::string_view listed_path);
std::string lhotse_index(std::span<const std::uint64_t> places);
std::string lhotse_tar_index(const ShardLayout& layout, std::uint64_t tar_bytes);
/// Makes Lhotse's index of a tar from Energon's.
std::string lhotse_tar_index(std::string_view energon_index, std::uint64_t tar_bytes);

}  // namespace shardmill::manifest
