// Probe: what a piece of audio is and how long, from its headers, and whether all of it is there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "model/audio_info.hpp"

namespace shardmill::audio {

enum class ProbeVerdict {
  good,
  size_unknown,  // good as well, but its header gives no length: measured by what is there
  empty,         // no bytes, or no frames
  unrecognised,
  unsupported,  // recognised as something that shardmill does not read
  truncated,    // it ends before what its header promises
  absurd,       // a sample rate or number of channels that cannot be
  damaged,
};

struct ProbeResult {
  ProbeVerdict verdict = ProbeVerdict::unrecognised;
  AudioInfo info;    // complete when usable(); else as far as it is known
  std::string text;  // why it is not good, one clause; empty when it is

  bool usable() const { return verdict == ProbeVerdict::good || verdict == ProbeVerdict::size_unknown; }
};

/// A word for records: "good", "size_unknown", "truncated".
std::string_view name(ProbeVerdict verdict);

inline constexpr std::uint32_t kMaxSampleRate = 768'000;
inline constexpr std::uint32_t kMaxChannels = 64;

/// Told by its content: WAV (RF64, RIFX, W64 too), FLAC, Ogg (Vorbis, Opus), MP3, SPHERE, AIFF, AU,
/// CAF. Not decoded, except for a FLAC whose last frame is not where it ends. What its header cannot tell is
/// not seen: damage in the middle, and the end of an MP3 without a Xing header or of an Ogg stream cut
/// between two pages (the latter is size_unknown). Never throws for bad data; thread-safe.
ProbeResult probe(std::span<const std::byte> audio);

/// The verdict on a length that was found: good unless there is none or rate or channels are absurd.
ProbeResult judge(AudioInfo info);

inline ProbeResult failure(ProbeVerdict verdict, std::string text, AudioInfo info = {}) {
  return {verdict, std::move(info), std::move(text)};
}

}  // namespace shardmill::audio
