// decoding_speed: how fast audio can be decoded to floats, as loaders do it with libsndfile.
#pragma once

#include <span>

#include "model/sample.hpp"

namespace shardmill::audio {

/// Seconds of audio a second of CPU time, over all of `audio`; 0 when none of it can be decoded.
double decoding_speed(std::span<const Bytes> audio);

}  // namespace shardmill::audio
