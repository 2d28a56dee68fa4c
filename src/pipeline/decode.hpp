// decode: one compressed file to plain bytes, its pieces decoded by all workers, delivered in order.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "base/io/file.hpp"
#include "base/reporter.hpp"
#include "codec/codec.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::pipeline {

/// Receives the plain bytes in order, one call at a time; returns false when no more are wanted.
using ByteSink = std::function<bool(std::span<const std::byte>)>;

/// What follows the last compressed stream and is not zeros.
enum class Trailing { damage, ignored };

/// Decodes `file` from its start, whatever its codec. Counts input bytes in the reporter's progress and
/// checks for a stop between pieces. Throws the first Error after everything before the damage went to
/// `sink`; also for a file of zero bytes, and for one that is neither compressed nor begins like a tar.
/// Throws FatalError when the file changes meanwhile. What is ignored at the end is warned of. May be called
/// from several tasks of the same workers at once.
void decode(base::File& file, Workers& workers, base::Reporter& reporter, const ByteSink& sink,
            Trailing trailing = Trailing::damage);

}  // namespace shardmill::pipeline
