// Measures the speed of decoding: of a file by the libraries that other programs use, and of each codec on
// this machine.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/io/file.hpp"
#include "codec/codec.hpp"

namespace shardmill::codec {

struct ReferenceSpeed {
  double decoded_bytes_per_second = 0;  // plain bytes; 0 if nothing could be decoded
  double copied_bytes_per_second = 0;   // of a plain file, which is only copied from memory
};

/// Decodes the first 2 MiB of `file` with its codec's own library (libbz2, zlib, liblzma, libzstd, liblz4),
/// as loaders in Python do. Measures the CPU time of one thread, so a busy machine does not matter. Takes
/// about half a second. Throws Error if the file cannot be read.
ReferenceSpeed reference_speed(const base::File& file);

/// The same for compressed bytes in memory, which are the start of a file or all of it. Returns plain bytes
/// per second; 0 if the bytes are not compressed or cannot be decoded.
double decoding_speed(std::span<const std::byte> compressed);

/// Plain bytes per second of CPU time, in one thread, for audio with some noise.
struct DecodeSpeed {
  Codec codec = Codec::none;
  double bytes_per_second = 0;          // with this program's decoder
  double library_bytes_per_second = 0;  // with the codec's own library, which loaders use
};

/// Makes a few seconds of audio and compresses it, which takes up to a second. Then decodes it for `seconds`
/// of CPU time, and with the library for another 0.2 s. Not for Codec::none. Throws Error if the system has
/// no memory files.
DecodeSpeed decode_speed(Codec codec, double seconds);

}  // namespace shardmill::codec
