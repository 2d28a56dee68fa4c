// convert: changes the compression of shards, one file in, one file out; the tar inside stays the same byte
// for byte.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "codec/codec.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::commands {

struct ConvertOptions {
  std::vector<std::string> shards;
  std::string out_folder;
  codec::Codec codec = codec::Codec::none;
  std::optional<int> level;
  bool seekable = false;
  bool force = false;  // convert even where an up-to-date result exists
  bool ignore_free_space = false;
  bool ignore_trailing = false;  // ignore bytes after the last compressed stream
};

struct ConvertedShard {
  enum class Outcome { converted, up_to_date, failed };

  std::string source;
  std::string result;
  Outcome outcome = Outcome::failed;
  std::uint64_t source_bytes = 0;
  std::uint64_t plain_bytes = 0;
  std::uint64_t result_bytes = 0;
  std::string problem;  // why it failed
};

struct ConvertSummary {
  std::vector<ConvertedShard> shards;  // in the order given
  double seconds = 0;

  std::size_t count(ConvertedShard::Outcome outcome) const;
};

/// The results, one for each shard, in the same order. Throws UsageError when two of them would have the same
/// name.
std::vector<std::string> converted_paths(const ConvertOptions& options);

/// Converts the shards that are not up to date. A shard that fails is reported, leaves nothing under its
/// final name, and does not stop the others. Throws UsageError when two shards would get the same name.
ConvertSummary run_convert(const ConvertOptions& options, pipeline::Workers& workers,
                           base::Reporter& reporter);

}  // namespace shardmill::commands
