// Says which loaders cannot read what `shardmill repack` plans or has written, so that users learn it before
// training.
#pragma once

#include <string>

#include "base/text/json_writer.hpp"
#include "repack/options.hpp"

namespace shardmill::cli {

/// One row for each limit, as in the summary. Only audio that `summary` knows about counts.
std::string limits_as_text(const repack::RepackSummary& summary, const repack::RepackOptions& options);
/// Writes the member `not_for` of an open object.
void write_limits(base::JsonWriter& json, const repack::RepackSummary& summary,
                  const repack::RepackOptions& options);

}  // namespace shardmill::cli
