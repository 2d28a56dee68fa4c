// Codecs of the public API, as the engines name them.
#pragma once

#include "codec/codec.hpp"
#include "shardmill/convert.hpp"

namespace shardmill::library {

codec::Codec internal(Codec codec);

}  // namespace shardmill::library
