// GzipBuffer: where a piece of a gzip file puts its plain bytes, with room for the window before them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "codec/gzip/deflate_decoder.hpp"
#include "codec/gzip/slices.hpp"
#include "codec/pool.hpp"

namespace shardmill::codec {

/// Room for symbols of 16 bits after a window of such, or for bytes after a window of bytes, or for both in a
/// row. Not cleared.
struct GzipBuffer {
  alignas(64) std::array<std::uint8_t, 4 * kDeflateWindowBytes + GzipSizes::kPlainBytes> bytes;
};

using GzipBufferPool = Pool<GzipBuffer>;

}  // namespace shardmill::codec
