// Reading without writing: decode() gives the plain bytes of one file, decoded by all workers;
// read_through() reads all input as a run does, scan_source() one source file from start to end.
// Key check: keys that two samples would have, as far as they are known before anything is decoded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/reporter.hpp"
#include "codec/codec.hpp"
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

/// Receives the plain bytes in order, one call at a time. Returns false when it wants no more.
using ByteSink = std::function<bool(std::span<const std::byte>)>;

/// What to do about bytes after the last compressed stream that are not zeros.
enum class Trailing { damage, ignored };

/// When decode() ends after its sink wants no more: at once, or after it has read on and compared the
/// checksum of the bytes that the sink got. That may take the rest of the file.
enum class Ending { at_once, when_checked };

/// Decodes `file` from its start, whatever its codec. Counts input bytes in the reporter's progress, and
/// checks for a stop between pieces. Gives `sink` everything before damage and then throws the Error; also
/// throws Error for an empty file, and for one that is neither compressed nor begins like a tar. Throws
/// FatalError when the file changes meanwhile. Warns about bytes at the end that are ignored. May be called
/// from several tasks of the same workers at once.
void decode(base::File& file, Workers& workers, base::Reporter& reporter, const ByteSink& sink,
            Trailing trailing = Trailing::damage, Ending ending = Ending::at_once);

}  // namespace shardmill::pipeline
