// decode_benchmark: how fast this machine decodes each codec.
#pragma once

#include <vector>

#include "codec/codec.hpp"

namespace shardmill::codec {

/// Plain bytes per second of CPU time, in one thread, for audio with some noise.
struct DecodeSpeed {
  Codec codec = Codec::none;
  double bytes_per_second = 0;          // with this program's decoder
  double library_bytes_per_second = 0;  // with the codec's own library, which loaders use
};

/// Makes a few seconds of audio, which takes up to a second, and compresses it. Then decodes it for `seconds`
/// of CPU time, and with the library for another 0.2 s. Not for Codec::none. Throws Error where the system
/// has no memory files.
DecodeSpeed decode_speed(Codec codec, double seconds);

}  // namespace shardmill::codec
