// probe: finds out the form and the length of audio from its headers, and whether all of it is there.
// mended: writes audio again with a header that is true.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "model/audio_info.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::audio {

enum class ProbeVerdict {
  good,
  size_unknown,  // also good, but the header gives no length: measured by the bytes that are there
  empty,         // no bytes, or no frames
  unrecognised,
  unsupported,  // recognised as something that shardmill does not read
  truncated,    // it ends before what its header promises
  absurd,       // an impossible sample rate or number of channels
  damaged,
};

struct ProbeResult {
  ProbeVerdict verdict = ProbeVerdict::unrecognised;
  AudioInfo info;                    // complete if usable(); otherwise as far as known
  std::string text;                  // one clause: why it is not good; empty if it is good
  std::uint64_t hidden_bytes = 0;    // of audio, beyond the size that the header gives; they count in `info`
  std::uint64_t trailing_bytes = 0;  // after the end that the header gives: no audio, chunk, tag or padding
  /// A WAV of the same audio, if ffmpeg had to decode it.
  std::shared_ptr<const Bytes> decoded{};

  bool usable() const { return verdict == ProbeVerdict::good || verdict == ProbeVerdict::size_unknown; }
};

/// A word for records: "good", "size_unknown", "truncated".
std::string_view name(ProbeVerdict verdict);

/// A header contradicts itself if one of its sizes covers at least this many bytes more than the other and
/// the chunks. Smaller differences are mistakes of writers: the size of a header counted twice or not at all.
inline constexpr std::uint64_t kLeastHiddenBytes = 64;

inline constexpr std::uint32_t kMaxSampleRate = 768'000;
inline constexpr std::uint32_t kMaxChannels = 64;

/// Recognises audio by its content: WAV (also RF64, RIFX, W64), FLAC, Ogg (Vorbis, Opus), MP3, SPHERE, AIFF,
/// AU, CAF. It decodes only a FLAC that does not end with its last frame. It checks the frames of FLAC and
/// the pages of Ogg; in other audio it cannot see damage in the middle. It cannot see the missing end of an
/// MP3 without a Xing header, or of an Ogg stream that was cut between two pages (which is size_unknown).
/// What only ffmpeg reads, as m4a, is decoded by it: see audio/ffmpeg.hpp. Never throws for bad data, but
/// Interrupted. Thread-safe.
ProbeResult probe(std::span<const std::byte> audio);

/// The verdict on audio whose length is known: good, unless it is empty or its rate or channels are absurd.
ProbeResult judge(AudioInfo info);

inline ProbeResult failure(ProbeVerdict verdict, std::string text, AudioInfo info = {}) {
  return {.verdict = verdict, .info = std::move(info), .text = std::move(text)};
}

/// Writes the true sizes into the header of a WAV, FLAC, AIFF or AU that came from a pipe or gives less audio
/// than there is, and whatever else a WAV's header has wrong; cuts off the bytes after the last page of an
/// Ogg, because they hide its length. The audio stays as it is. `info`: of usable audio, as probe() measured
/// it. nullopt when there is nothing to mend. Thread-safe.
std::optional<Bytes> mended(std::span<const std::byte> audio, const AudioInfo& info);

}  // namespace shardmill::audio
