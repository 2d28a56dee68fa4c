// Advice on the number of shards for a training, and warnings about a number that the user chose.
#pragma once

#include <string>

#include "base/reporter.hpp"
#include "base/text/json_writer.hpp"
#include "repack/options.hpp"

namespace shardmill::cli {

/// Rows of the summary; empty without advice.
std::string shard_advice_as_text(const repack::RepackSummary& summary, const repack::RepackOptions& options);
/// Writes the member `for_training` of an open object, if there is advice.
void write_shard_advice(base::JsonWriter& json, const repack::RepackSummary& summary,
                        const repack::RepackOptions& options);
/// Warns of small shards and idle workers that the user chose.
void warn_of_shards(const repack::RepackSummary& summary, const repack::RepackOptions& options,
                    base::Reporter& reporter);

}  // namespace shardmill::cli
