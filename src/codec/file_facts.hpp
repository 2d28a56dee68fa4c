// Facts about a whole file, from its structure rather than by decoding it if the format allows that: the
// number of its plain bytes, and whether it was cut short.
#pragma once

#include <cstdint>

#include "base/io/file.hpp"
#include "codec/codec.hpp"

namespace shardmill::codec {

/// The codec that the first bytes of `file` show. Leaves its position alone.
Codec codec_of(const base::File& file);

/// Estimates the number of plain bytes without decoding. Uses headers, trailers and the distance between
/// blocks if the format has them (usually right within a few per cent, often exact); otherwise guesses from
/// the size. Reads at most a few MB, and leaves the position of `file` alone. The result is at most 1,100
/// times the size, whatever the file claims. Throws Error only if reading fails.
std::uint64_t estimate_plain_bytes(const base::File& file);

/// True if `file` is of this codec and reaches its proper end. For none it looks for a tar's end blocks; for
/// zstd and lz4 it walks from frame to frame; for gzip, bzip2 and xz it decodes everything. Does not look for
/// damage inside.
bool looks_whole(base::File& file, Codec codec);

/// True if `file`, which is of this codec, does not reach its proper end. Decodes nothing, or a small file
/// whose last bytes are no end, because something else may follow it. What gzip ends with cannot be told so.
bool looks_cut(base::File& file, Codec codec);

}  // namespace shardmill::codec
