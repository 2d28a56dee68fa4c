// The engine of convert: its options, its plan, and the conversion of one shard.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "codec/codec.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::convert {

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

/// Plans the results: one entry for each shard, in the order given. Throws UsageError if two results would
/// have the same name, or if a result would replace a source.
std::vector<ConvertedShard> plan_results(const ConvertOptions& options);

/// The paths of the results alone.
std::vector<std::string> converted_paths(const ConvertOptions& options);

/// Throws Error unless everything in the folder is a result of convert that this run would write again.
void check_folder(const ConvertOptions& options, const std::vector<ConvertedShard>& shards);

/// About how much space the results take that are still to be written.
std::uint64_t needed_bytes(const std::vector<ConvertedShard>& shards, const ConvertOptions& options);

/// The compression of all results of a run.
codec::EncoderOptions format_of(const ConvertOptions& options);

/// Leaves alone a result that is up to date. Throws Error when the shard cannot be decoded, or its result
/// cannot be written or must not be replaced; then nothing new has its final name.
void convert_shard(ConvertedShard& shard, const ConvertOptions& options, pipeline::Workers& workers,
                   base::Reporter& reporter);

/// Converts the shards that are not up to date. A shard that fails is reported, leaves nothing under its
/// final name, and does not stop the others. Throws UsageError if two shards would get the same name.
ConvertSummary run_convert(const ConvertOptions& options, pipeline::Workers& workers,
                           base::Reporter& reporter);

}  // namespace shardmill::convert
