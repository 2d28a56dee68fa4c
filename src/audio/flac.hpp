// FLAC: its STREAMINFO and its last frame, which shows whether all of it is there.
#pragma once

#include "audio/byte_view.hpp"
#include "audio/probe.hpp"

namespace shardmill::audio {

/// `audio` begins with fLaC. The last frame must end with the bytes, its CRC be right, and its number agree
/// with the total; only when no such frame is found is the whole decoded.
ProbeResult probe_flac(ByteView audio);

/// Without the tag of 128 bytes that may follow the last frame.
ByteView without_id3v1(ByteView audio);

/// A FLAC without a tag in front, and with its number of frames, which writers to a pipe leave out.
bool is_plain_flac(ByteView audio);

}  // namespace shardmill::audio
