// pack_shards: makes the final shards from the spooled plain tars.
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
  std::string path;  // where it is now
  std::uint64_t bytes = 0;
  std::string sha256{};
};

/// What compressing this many bytes adds to Progress::input_bytes. It is about the number of bytes of bzip2
/// that are read in the same time, so one figure shows how far a run is and how long it still takes.
std::uint64_t packing_work(std::uint64_t plain_bytes, const codec::EncoderOptions& format);

/// Compresses all shards, several at a time, each in one thread. Without compression they stay as they are. A
/// shard that an earlier run packed is not packed again. All results are durable. Sets
/// Progress::input_bytes_total to the work to be done; Progress::input_bytes reaches it at the end.
std::vector<PackedShard> pack_shards(const SpoolSet& spools, const codec::EncoderOptions& format,
                                     Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::pipeline
