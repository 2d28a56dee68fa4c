// Which loaders cannot read what `shardmill repack` plans or has written: said at the time, not left to be
// found in training.
#pragma once

#include <string>

#include "base/text/json_writer.hpp"
#include "repack/options.hpp"

namespace shardmill::cli {

/// A row each, as in the summary. Of the audio only as much counts as `summary` knows.
std::string limits_as_text(const repack::RepackSummary& summary, const repack::RepackOptions& options);
/// The member `not_for` of an open object.
void write_limits(base::JsonWriter& json, const repack::RepackSummary& summary,
                  const repack::RepackOptions& options);

}  // namespace shardmill::cli
