// MPEG audio (MP3 and its elder layers): measured by walking over its frame headers.
#pragma once

#include "audio/byte_view.hpp"
#include "audio/probe.hpp"

namespace shardmill::audio {

/// `audio` begins at the first frame or with bytes to be skipped before it. A Xing or Info frame says how
/// many frames there should be, and a LAME tag how much of them is delay and padding. unrecognised when no
/// two frames follow each other and the one there is does not end with the bytes.
ProbeResult probe_mpeg(ByteView audio);

}  // namespace shardmill::audio
