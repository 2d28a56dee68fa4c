// The reader of formats whose bytes can only be decoded one after the other: gzip, xz, zstd, lz4.
#pragma once

#include <memory>

#include "codec/codec.hpp"
#include "codec/input.hpp"
#include "codec/stream_decoder.hpp"

namespace shardmill::codec {

/// Pieces are slices of the compressed file. They are decoded in order; whichever prepare() finds the decoder
/// free carries on with every piece that waits for it, so decoding runs ahead of reading.
std::unique_ptr<PieceReader> make_chained_reader(Input input, std::unique_ptr<StreamDecoder> decoder,
                                                 TrailingSink on_trailing);

}  // namespace shardmill::codec
