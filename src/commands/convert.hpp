// convert: changes the compression of shards, one file in, one file out; the tar inside stays the same byte
// for byte.
#pragma once

#include "base/reporter.hpp"
#include "convert/conversion.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::commands {

/// Converts the shards that are not up to date. A shard that fails is reported, leaves nothing under its
/// final name, and does not stop the others. Throws UsageError if two shards would get the same name.
convert::ConvertSummary run_convert(const convert::ConvertOptions& options, pipeline::Workers& workers,
                                    base::Reporter& reporter);

}  // namespace shardmill::commands
