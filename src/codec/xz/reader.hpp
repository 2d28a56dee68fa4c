// The reader of xz files: decodes their blocks in parallel.
#pragma once

#include <memory>

#include "codec/codec.hpp"
#include "codec/input.hpp"

namespace shardmill::codec {

/// A piece is a block, when the index of the file lists several of at most 64 MiB, such as `xz -T` writes up
/// to level 7. Everything else is decoded from front to back, as make_chained_reader() does it; then no run
/// can go on in the middle of the file.
std::unique_ptr<PieceReader> make_xz_reader(Input input, TrailingSink on_trailing,
                                            const RestartPoint& from = {});

}  // namespace shardmill::codec
