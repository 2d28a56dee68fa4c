// The engine of convert: its options, its plan, and the conversion of one shard. ConvertedOrigin: the source
// and the options that a result was made from; it decides whether the result is up to date, and whether it
// may be replaced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "codec/codec.hpp"
#include "pipeline/workers.hpp"
#include "source/source_file.hpp"

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

struct ConvertedOrigin {
  std::string source;  // path relative to the folder of the results
  std::uint64_t source_bytes = 0;
  std::int64_t source_mtime_ns = 0;
  std::string codec;
  std::int64_t level = 0;
  bool seekable = false;
  bool ignore_trailing = false;
  std::optional<std::uint64_t> result_bytes{};    // none while the result is being replaced
  std::optional<std::int64_t> result_mtime_ns{};  // the same

  bool operator==(const ConvertedOrigin&) const = default;
};

/// The text for the record of the result.
std::string to_text(const ConvertedOrigin& origin);
/// Reads a text of to_text(). Returns an empty origin for any other text.
ConvertedOrigin origin_in(const std::string& text);

/// Size and time of a file as it is now. Throws Error if it cannot be examined.
source::SourceFile status_of(const std::string& path);

/// The name under which the result is recorded.
std::string name_of(const ConvertedShard& shard);

/// The origin that the result will have, without the result's own size and time.
ConvertedOrigin wanted_origin(const ConvertedShard& shard, const ConvertOptions& options);

/// The recorded origin of an existing result; nullopt if convert has not written it.
std::optional<ConvertedOrigin> recorded_origin(const ConvertedShard& shard, const ConvertOptions& options);

/// True if the result was made from the same source and options, and still has its size and time.
bool is_up_to_date(const ConvertedShard& shard, ConvertedOrigin wanted,
                   const std::optional<ConvertedOrigin>& made);

/// Throws Error if the result must not be replaced: it was made from another source that still exists, or it
/// was changed after it was made.
void check_may_be_replaced(const ConvertedShard& shard, const ConvertedOrigin& wanted,
                           const std::optional<ConvertedOrigin>& made, const ConvertOptions& options);

}  // namespace shardmill::convert
