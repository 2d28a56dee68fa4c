// scan_source: reads one source file from start to end. All workers decode it. Samples and findings come in
// the order of the file.
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
  std::uint64_t tar_bytes = 0;  // plain bytes, as far as they could be decoded
  std::uint64_t streams = 0;    // how many compressed streams
};

/// Goes on after damage, which is an item like any other. Throws Error when the file cannot be opened or
/// read. Counts input bytes in the reporter's progress. Several tasks of the same workers may call it at
/// once.
ScanResult scan_source(const source::SourceFile& file, shard::KeyRule rule, Workers& workers,
                       base::Reporter& reporter, const ItemSink& sink);

}  // namespace shardmill::pipeline
