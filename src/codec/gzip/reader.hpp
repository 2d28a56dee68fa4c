// The gzip reader: one file, cut into slices that are decoded in parallel, checked and delivered in order.
#pragma once

#include <memory>

#include "codec/codec.hpp"
#include "codec/gzip/slices.hpp"
#include "codec/input.hpp"

namespace shardmill::codec {

/// A piece begins where a deflate block does, the first one in its slice of the file; where a slice has none,
/// or a very late one, where the piece before had no more input. What comes before a piece is needed to
/// decode it. If that is not decoded yet, it is decoded by guess: from a place where a block seems to begin,
/// with symbols for what is not known (GzipGuess). A wrong guess shows itself, because the piece before does
/// not end there.
std::unique_ptr<PieceReader> make_gzip_reader(Input input, TrailingSink on_trailing,
                                              const RestartPoint& from = {}, const GzipSizes& sizes = {});

}  // namespace shardmill::codec
