// The reader of zstd and lz4 files: frames are decoded in parallel where they are small, as in seekable
// files.
#pragma once

#include <memory>

#include "codec/codec.hpp"
#include "codec/input.hpp"
#include "codec/stream_decoder.hpp"

namespace shardmill::codec {

/// As long as frames of at most 2 MiB follow each other, a piece is some whole frames. From the first one on
/// that is larger, or is none, and in pipes, all is decoded as make_chained_reader() does; no run can go on
/// in the middle of that.
std::unique_ptr<PieceReader> make_frame_reader(Input input, Codec codec,
                                               std::unique_ptr<StreamDecoder> (*make_decoder)(),
                                               TrailingSink on_trailing, const RestartPoint& from = {});

}  // namespace shardmill::codec
