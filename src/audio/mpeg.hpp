// MPEG audio (MP3 and its older layers), measured by walking over the frame headers.
#pragma once

#include "audio/byte_view.hpp"
#include "audio/probe.hpp"

namespace shardmill::audio {

/// `audio` begins at the first frame, or with bytes before it that are skipped. A Xing or Info frame says how
/// many frames there should be; a LAME tag says how much of them is delay and padding. The verdict is
/// `unrecognised` when no two frames follow each other and no single frame ends with the bytes.
ProbeResult probe_mpeg(ByteView audio);

}  // namespace shardmill::audio
