// decode: decodes one compressed file to plain bytes. All workers decode pieces; the bytes come in order.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "base/io/file.hpp"
#include "base/reporter.hpp"
#include "codec/codec.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::pipeline {

/// Receives the plain bytes in order, one call at a time. Returns false when it wants no more.
using ByteSink = std::function<bool(std::span<const std::byte>)>;

/// What to do about bytes after the last compressed stream that are not zeros.
enum class Trailing { damage, ignored };

/// Decodes `file` from its start, whatever its codec. Counts input bytes in the reporter's progress, and
/// checks for a stop between pieces. Gives `sink` everything before damage and then throws the Error; also
/// throws Error for an empty file, and for one that is neither compressed nor begins like a tar. Throws
/// FatalError when the file changes meanwhile. Warns about bytes at the end that are ignored. May be called
/// from several tasks of the same workers at once.
void decode(base::File& file, Workers& workers, base::Reporter& reporter, const ByteSink& sink,
            Trailing trailing = Trailing::damage);

}  // namespace shardmill::pipeline
