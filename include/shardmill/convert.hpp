// convert: changes the compression of shards, one file in, one file out; the tar inside stays the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shardmill/observer.hpp"

namespace shardmill {

enum class Codec { none, zstd, lz4, gzip };

struct ConvertOptions {
  std::vector<std::string> shards;
  std::string out_folder;
  Codec codec = Codec::none;
  std::optional<int> level{};
  bool seekable = false;  // zstd: independent frames and a seek table
  bool force = false;     // also convert shards that are up to date
  Limits limits{};
};

struct ConvertedShard {
  std::string source;
  std::string result;
  bool up_to_date = false;  // it was there already
  std::string problem;      // why it failed; empty: it did not
};

/// Converts the shards that are not up to date. A shard that fails leaves nothing under its final name and
/// does not stop the others. Throws UsageError if two shards would get the same name.
std::vector<ConvertedShard> run_convert(const ConvertOptions& options, Observer& observer);

}  // namespace shardmill
