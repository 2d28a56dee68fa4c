// pack_shards: from spooled plain tars to shards as they will lie on disk.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "codec/codec.hpp"
#include "pipeline/spool_set.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::pipeline {

struct PackedShard {
  std::string path;  // where it lies now
  std::uint64_t bytes = 0;
  std::string sha256{};
};

/// What compressing so many bytes adds to Progress::input_bytes, so that one figure tells how far a run is
/// and how long it still takes: about as many as are read from bzip2 in the same time.
std::uint64_t packing_work(std::uint64_t plain_bytes, const codec::EncoderOptions& format);

/// Compresses all shards, several at a time, each by one thread; plain ones stay what they are. A shard that
/// an earlier run packed is not packed again. All results are durable. Progress::input_bytes_total is set to
/// what there is to do, and reached at the end.
std::vector<PackedShard> pack_shards(const SpoolSet& spools, const codec::EncoderOptions& format,
                                     Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::pipeline
