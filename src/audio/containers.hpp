// Containers that libsndfile measures. Here we only check whether all of their bytes are there.
#pragma once

#include "audio/byte_view.hpp"
#include "audio/probe.hpp"

namespace shardmill::audio {

/// These expect audio that begins with the container's magic.
ProbeResult probe_ogg(ByteView audio);
ProbeResult probe_sphere(ByteView audio);
ProbeResult probe_aiff(ByteView audio);
ProbeResult probe_au(ByteView audio);
/// RIFX, W64, CAF: the result is what libsndfile says.
ProbeResult probe_other(ByteView audio);

}  // namespace shardmill::audio
