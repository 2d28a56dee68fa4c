// decode_benchmark: how fast this machine decodes each codec.
#pragma once

#include <vector>

#include "codec/codec.hpp"

namespace shardmill::codec {

/// Plain bytes a second of CPU time of one thread, of audio with some noise in it.
struct DecodeSpeed {
  Codec codec = Codec::none;
  double bytes_per_second = 0;          // as this program decodes it
  double library_bytes_per_second = 0;  // as the codec's own library does, which is what loaders use
};

/// Makes a few seconds of audio, compresses it and decodes it for `seconds` of CPU time, then by the library
/// for another 0.2 s. Making it takes up to a second. Not for none. Throws Error where the system has no
/// memory files.
DecodeSpeed decode_speed(Codec codec, double seconds);

}  // namespace shardmill::codec
