// decoding_speed: how fast audio can be decoded to floats with libsndfile, as training loaders do it.
#pragma once

#include <span>

#include "model/sample.hpp"

namespace shardmill::audio {

/// Seconds of audio per second of CPU time, over all of `audio`; 0 when none of it can be decoded.
double decoding_speed(std::span<const Bytes> audio);

}  // namespace shardmill::audio
