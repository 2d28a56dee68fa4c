// The reader for formats that can only be decoded from front to back: xz, and zstd and lz4 with large frames.
#pragma once

#include <memory>

#include "codec/codec.hpp"
#include "codec/input.hpp"
#include "codec/stream_decoder.hpp"

namespace shardmill::codec {

/// Pieces are slices of the compressed file, and are decoded in order. A prepare() that finds the decoder
/// free also decodes all pieces that already wait, so decoding runs ahead of reading.
/// `offset`: the place in the file where the input begins, after so many streams.
std::unique_ptr<PieceReader> make_chained_reader(Input input, std::unique_ptr<StreamDecoder> decoder,
                                                 TrailingSink on_trailing, std::uint64_t offset = 0,
                                                 std::uint64_t streams = 0);

}  // namespace shardmill::codec
