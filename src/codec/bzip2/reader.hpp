// The bzip2 reader: decodes the blocks of one file in parallel, checks them, and delivers them in order.
#pragma once

#include <memory>

#include "codec/codec.hpp"
#include "codec/input.hpp"

namespace shardmill::codec {

/// A piece reaches from one place where a block seems to begin to the next. A magic that stands inside a
/// block by chance is recognised, because every block must begin where the one before ended.
std::unique_ptr<PieceReader> make_bzip2_reader(Input input, TrailingSink on_trailing,
                                               const RestartPoint& from = {});

}  // namespace shardmill::codec
