// The bzip2 reader: the blocks of one file decoded in parallel, checked and delivered in order.
#pragma once

#include <memory>

#include "codec/codec.hpp"
#include "codec/input.hpp"

namespace shardmill::codec {

/// A piece is the stretch from one place where a block seems to begin to the next. A magic that stands inside
/// a block by chance shows itself, because every block must begin where the one before ended.
std::unique_ptr<PieceReader> make_bzip2_reader(Input input, TrailingSink on_trailing,
                                               const RestartPoint& from = {});

}  // namespace shardmill::codec
