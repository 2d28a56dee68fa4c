// Converts between the codecs of the public API and those of src/codec.
#pragma once

#include "codec/codec.hpp"
#include "shardmill/convert.hpp"

namespace shardmill::library {

codec::Codec internal(Codec codec);

}  // namespace shardmill::library
