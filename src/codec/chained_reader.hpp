// The reader of formats whose bytes can only be decoded one after the other: xz, and zstd and lz4 in large
// frames.
#pragma once

#include <memory>

#include "codec/codec.hpp"
#include "codec/input.hpp"
#include "codec/stream_decoder.hpp"

namespace shardmill::codec {

/// Pieces are slices of the compressed file. They are decoded in order; whichever prepare() finds the decoder
/// free carries on with every piece that waits for it, so decoding runs ahead of reading.
/// `offset`: where the input is in its file, after so many streams.
std::unique_ptr<PieceReader> make_chained_reader(Input input, std::unique_ptr<StreamDecoder> decoder,
                                                 TrailingSink on_trailing, std::uint64_t offset = 0,
                                                 std::uint64_t streams = 0);

}  // namespace shardmill::codec
