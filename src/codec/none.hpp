// none: plain files, which are read in parallel, and pipes.
#pragma once

#include <memory>

#include "codec/codec.hpp"
#include "codec/input.hpp"

namespace shardmill::codec {

std::unique_ptr<PieceReader> make_plain_reader(Input input, const RestartPoint& from = {});
std::unique_ptr<Encoder> make_plain_encoder(Encoder::Output output);

}  // namespace shardmill::codec
