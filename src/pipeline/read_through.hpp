// Reading without writing: read_through() reads all input as a run does, scan_source() one source file from
// start to end.
#pragma once

#include <cstdint>
#include <functional>

#include "base/error.hpp"
#include "base/reporter.hpp"
#include "pipeline/intake/feed.hpp"
#include "pipeline/intake_options.hpp"
#include "pipeline/source_parser.hpp"
#include "pipeline/utterance.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::pipeline {

struct ReadThrough {
  const Inputs& inputs;
  IntakeOptions intake;
  std::uint32_t interleave = 1;  // files of a stream that are open at a time
  std::uint64_t seed = 0;        // decides which samples a weight takes
};

/// Gives `take` each sample that passes the filters and the weights, one call at a time, in the order of a
/// run. Duplicates are not looked for. Passes over damage, which the run itself will report. Throws what
/// `take` throws.
void read_through(const ReadThrough& how, Workers& workers, base::Reporter& reporter,
                  const std::function<void(const Utterance&)>& take);

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
