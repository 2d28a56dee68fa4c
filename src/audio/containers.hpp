// Containers that libsndfile measures: here only whether all of their bytes are there.
#pragma once

#include "audio/byte_view.hpp"
#include "audio/probe.hpp"

namespace shardmill::audio {

/// Each expects audio that begins with the container's magic.
ProbeResult probe_ogg(ByteView audio);
ProbeResult probe_sphere(ByteView audio);
ProbeResult probe_aiff(ByteView audio);
ProbeResult probe_au(ByteView audio);
/// RIFX, W64, CAF: whatever libsndfile says.
ProbeResult probe_other(ByteView audio);

}  // namespace shardmill::audio
