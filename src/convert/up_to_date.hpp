// Whether a result of convert is up to date, and whether it may be replaced.
#pragma once

#include <optional>
#include <string>

#include "convert/options.hpp"
#include "convert/origin.hpp"
#include "source/source_file.hpp"

namespace shardmill::convert {

/// Size and time of a file as it is now. Throws Error when it cannot be looked at.
source::SourceFile status_of(const std::string& path);

/// The name under which the result is recorded.
std::string name_of(const ConvertedShard& shard);

/// What the result will be made from, without the result's own size and time.
ConvertedOrigin wanted_origin(const ConvertedShard& shard, const ConvertOptions& options);

/// What the result that exists was made from; nullopt when no result of convert exists.
std::optional<ConvertedOrigin> recorded_origin(const ConvertedShard& shard, const ConvertOptions& options);

/// True when the result was made from the same source and options, and still has its size and time.
bool is_up_to_date(const ConvertedShard& shard, ConvertedOrigin wanted,
                   const std::optional<ConvertedOrigin>& made);

/// Throws Error when the result must not be replaced: it was made from another source that still exists, or
/// somebody changed it after it was made.
void check_may_be_replaced(const ConvertedShard& shard, const ConvertedOrigin& wanted,
                           const std::optional<ConvertedOrigin>& made, const ConvertOptions& options);

}  // namespace shardmill::convert
