// Which loaders cannot read what `shardmill repack` plans or has written: said at the time, not left to be
// found in training.
#pragma once

#include <string>

#include "shardmill/base/json_writer.hpp"
#include "shardmill/commands/repack.hpp"

namespace shardmill::cli {

/// A row each, as in the summary. Of the audio only as much counts as `summary` knows.
std::string limits_as_text(const commands::RepackSummary& summary, const commands::RepackOptions& options);
/// The member `not_for` of an open object.
void write_limits(base::JsonWriter& json, const commands::RepackSummary& summary,
                  const commands::RepackOptions& options);

}  // namespace shardmill::cli
