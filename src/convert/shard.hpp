// Converts one shard: decodes it, compresses it anew, and records what the result was made from.
#pragma once

#include "base/reporter.hpp"
#include "codec/codec.hpp"
#include "convert/options.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::convert {

/// How all results of a run are compressed.
codec::EncoderOptions format_of(const ConvertOptions& options);

/// Leaves alone a result that is up to date. Throws Error when the shard cannot be decoded, or its result
/// cannot be written or must not be replaced; then nothing new has its final name.
void convert_shard(ConvertedShard& shard, const ConvertOptions& options, pipeline::Workers& workers,
                   base::Reporter& reporter);

}  // namespace shardmill::convert
