// FLAC: reads the STREAMINFO, and looks at the frames to see whether all of the file is there.
#pragma once

#include <string>

#include "audio/byte_view.hpp"
#include "audio/probe.hpp"

namespace shardmill::audio {

/// `audio` must begin with fLaC. The last frame must end with the bytes, have a right CRC, and a number that
/// agrees with the total. Only when no such frame is found, everything is decoded. All frames must have a
/// right CRC and follow upon each other.
ProbeResult probe_flac(ByteView audio);

/// What probe_flac() finds damaged or missing; empty where all is well.
std::string flac_damage(ByteView audio);

/// The audio without the tag of 128 bytes that may follow the last frame.
ByteView without_id3v1(ByteView audio);

/// True for a FLAC without a tag in front and with its number of frames, which writers to a pipe leave out.
bool is_plain_flac(ByteView audio);

}  // namespace shardmill::audio
