// ShardRecord: one line of shards.jsonl, the duration manifest.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/text/json_reader.hpp"

namespace shardmill::manifest {

struct ShardRecord {
  /// What one dataset has in the shard.
  struct Share {
    std::string dataset;
    std::uint64_t samples = 0;
    double seconds = 0;
  };

  std::uint64_t shard_id = 0;
  std::string path;  // relative to the dataset's folder
  std::uint64_t samples = 0;
  std::uint64_t with_text = 0;  // samples with a transcript
  double seconds = 0;
  double min_seconds = 0;  // the shortest sample; max_seconds is the longest
  double max_seconds = 0;
  std::uint64_t bytes = 0;      // of the file
  std::uint64_t tar_bytes = 0;  // of the uncompressed tar
  std::string codec;
  std::string sha256;         // of the file
  std::vector<Share> shares;  // called "datasets" in the file
};

/// One JSON object and a newline.
void append_line(std::string& out, const ShardRecord& record);
/// Fills every field. Throws Error, which names no file, for a missing or impossible field; ignores unknown
/// ones.
void read_record(const base::JsonValue& json, ShardRecord& record);

}  // namespace shardmill::manifest
