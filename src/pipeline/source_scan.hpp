// scan_source: one source file from end to end, decoded by all workers, its samples and findings in order.
#pragma once

#include <cstdint>
#include <functional>

#include "base/error.hpp"
#include "base/reporter.hpp"
#include "pipeline/source_parser.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::pipeline {

/// Receives the items in the order of the file, one call at a time.
using ItemSink = std::function<void(SourceItem&&)>;

struct ScanResult {
  std::uint64_t tar_bytes = 0;  // plain, as far as they could be decoded
  std::uint64_t streams = 0;    // compressed ones
};

/// Reads on behind damage, which is an item like any other. Throws Error when the file cannot be opened or
/// read. May be called from several tasks of the same workers at once. Counts input bytes in the reporter's
/// progress.
ScanResult scan_source(const source::SourceFile& file, shard::KeyRule rule, Workers& workers,
                       base::Reporter& reporter, const ItemSink& sink);

}  // namespace shardmill::pipeline
