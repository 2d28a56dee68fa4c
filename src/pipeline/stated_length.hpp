// The length that a corpus gives for audio, compared with the audio itself.
#pragma once

#include <string>

#include "model/audio_info.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::pipeline {

enum class LengthMatch { same, audio_is_longer, audio_is_shorter };

/// The largest difference, in seconds, that does not matter: 0.1 s or 0.5 %, whichever is more. Manifests
/// round durations to one to three digits, and decoders of MP3 differ by almost 0.1 s.
double length_tolerance(double seconds);
LengthMatch match_length(double seconds, const AudioInfo& info);

/// "ends at 3 s, but its recording at 2.500 s"
std::string ends_after_recording(double seconds, double recording_seconds);

/// The place of a segment in its recording, followed by `facts`: members of a manifest line, as JSON. There
/// is no end if `end_seconds` is infinite.
std::string facts_with_place(double begin_seconds, double end_seconds, const std::string& facts);

/// Cuts the audio, which `info` describes, to its first `seconds`, and makes it a WAV. Throws Error if it
/// cannot be decoded.
void cut_to_length(Member& audio, AudioInfo& info, double seconds);

}  // namespace shardmill::pipeline
