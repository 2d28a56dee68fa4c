// reference_speed: how fast other programs can read a compressed file; measured with the file itself.
#pragma once

#include <cstddef>
#include <span>

#include "base/io/file.hpp"

namespace shardmill::codec {

struct ReferenceSpeed {
  double decoded_bytes_per_second = 0;  // plain bytes; 0 when nothing could be decoded
  double copied_bytes_per_second = 0;   // for a file that only has to be copied from memory
};

/// Decodes the first 2 MiB of `file` with its codec's own library (libbz2, zlib, liblzma, libzstd, liblz4),
/// as loaders in Python do. The speed is per CPU time of one thread, so a busy machine does not matter. Takes
/// about half a second. Throws Error when the file cannot be read.
ReferenceSpeed reference_speed(const base::File& file);

/// The same for compressed bytes in memory, which are the start of a file or all of it. Plain bytes per
/// second; 0 when they are not compressed or cannot be decoded.
double decoding_speed(std::span<const std::byte> compressed);

}  // namespace shardmill::codec
