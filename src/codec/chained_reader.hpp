// The reader for formats that can only be decoded from front to back: gzip, xz, zstd, lz4.
#pragma once

#include <memory>

#include "codec/codec.hpp"
#include "codec/input.hpp"
#include "codec/stream_decoder.hpp"

namespace shardmill::codec {

/// Pieces are slices of the compressed file, and are decoded in order. A prepare() that finds the decoder
/// free also decodes all pieces that already wait, so decoding runs ahead of reading.
std::unique_ptr<PieceReader> make_chained_reader(Input input, std::unique_ptr<StreamDecoder> decoder,
                                                 TrailingSink on_trailing);

}  // namespace shardmill::codec
