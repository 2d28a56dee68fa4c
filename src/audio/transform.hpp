// transform: converts a piece of audio to the wanted form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "audio/hearing.hpp"
#include "model/audio_info.hpp"
#include "model/sample.hpp"

namespace shardmill::audio {

struct WantedForm {
  enum class Container { keep, wav, flac };

  Container container = Container::keep;
  std::optional<std::uint32_t> sample_rate{};  // unchanged when not given
  bool mono = false;
  Hearing hearing{};  // what is found out on the way

  /// True when something may have to change.
  bool given() const { return container != Container::keep || sample_rate || mono; }
  /// True when audio may have to be decoded.
  bool decodes() const { return given() || hearing.any(); }
};

struct Transformed {
  Bytes bytes;
  AudioInfo info;
  std::uint64_t clipped = 0;  // values that were beyond full scale
  std::string problem;        // one clause that says why it cannot be done; empty when it was done
  bool is_unchanged = false;  // it has the wanted form: `bytes` is empty
  Heard heard{};
};

/// No member of a sample is decoded to more than this, because a few bytes of FLAC may stand for hours of
/// silence.
inline constexpr std::uint64_t kMostPcmBytes = std::uint64_t{256} << 20;

/// nullopt when `audio`, which `info` describes, already has this form, and nobody listens: then nothing is
/// decoded.
///
/// - Values keep every bit, unless rate or channels change or the container cannot hold them. Values that are
///   computed anew are rounded to the nearest without dither, and values beyond full scale are clipped and
///   counted; audio of 8 bits then becomes 16 bits.
/// - WAV is written as encode_wav() says; a WAV with another header or an encoding other than PCM or float is
///   written anew. FLAC is written as encode_flac() says; floats and 32 bits become 24 bits in it.
/// - Where the container is kept but something else changes, FLAC stays FLAC and everything else becomes WAV.
/// - Mono is the mean of the channels. It is computed before resampling.
/// - Clipping, offset and silence are those of the audio as it was; the hash and the band are of the result.
///
/// Never throws for bad audio. Thread-safe. The result depends only on the arguments.
std::optional<Transformed> transform(std::span<const std::byte> audio, const AudioInfo& info,
                                     const WantedForm& form);

}  // namespace shardmill::audio
