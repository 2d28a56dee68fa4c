// Dataset: a finished dataset on disk: its totals, its shards, and the manifest line of every sample.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "shardmill/error.hpp"

namespace shardmill {

/// One line of shards.jsonl.
struct ShardInfo {
  std::string path;  // relative to the dataset's folder
  std::string manifest_path;
  std::uint64_t samples = 0;
  double seconds = 0;
  std::uint64_t bytes = 0;
  std::string codec;  // "none", "zstd", "lz4" or "gzip"
  std::string sha256;
};

/// One line of a manifest.
struct SampleInfo {
  std::string key;
  std::string dataset;  // the name of the dataset that it came from
  std::string text;
  std::string member_name;  // of the audio, in the tar
  std::uint64_t shard = 0;
  std::uint64_t tar_offset = 0;  // of the audio, in the uncompressed tar
  std::uint64_t audio_bytes = 0;
  double seconds = 0;
  std::uint32_t sample_rate = 0;
  std::uint32_t channels = 0;
  std::string json;  // the whole line, with speaker and all other fields
};

struct Dataset {
  std::string folder;
  std::uint64_t samples = 0;
  double seconds = 0;
  std::vector<ShardInfo> shards;
};

/// Reads the records of a finished dataset. Throws Error when it is not finished, or when the records
/// contradict each other. Does not open the shards: run_verify() does that.
Dataset open_dataset(const std::string& folder);

/// Calls `callback` for every sample, in the order of the shards. The callback returns false to stop.
void read_manifests(const Dataset& dataset, const std::function<bool(const SampleInfo&)>& callback);

}  // namespace shardmill
