// ConvertedOrigin: the source and the options that a result of convert was made from. It decides whether the
// result is up to date, and whether it may be replaced.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "convert/conversion.hpp"
#include "source/source_file.hpp"

namespace shardmill::convert {

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
