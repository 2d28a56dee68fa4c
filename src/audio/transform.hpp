// transform: a piece of audio brought to the form that is wanted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "model/audio_info.hpp"
#include "model/sample.hpp"

namespace shardmill::audio {

struct WantedForm {
  enum class Container { keep, wav, flac };

  Container container = Container::keep;
  std::optional<std::uint32_t> sample_rate{};  // as it is where not given
  bool mono = false;

  /// Something may have to change.
  bool given() const { return container != Container::keep || sample_rate || mono; }
};

struct Transformed {
  Bytes bytes;
  AudioInfo info;
  std::uint64_t clipped = 0;  // values that were beyond full scale
  std::string problem;        // why it cannot be done, one clause; empty when it was
};

/// No member of a sample is decoded to more than this: a few bytes of FLAC may stand for hours of silence.
inline constexpr std::uint64_t kMostPcmBytes = std::uint64_t{256} << 20;

/// nullopt when `audio`, which is what `info` says, has that form already: then nothing is decoded.
///
/// - Values stay as they are, bit by bit, unless rate or channels change or the container cannot hold them.
///   Where they are computed anew they are rounded to nearest without dither, and what is beyond full scale
///   is clipped and counted; audio of 8 bits becomes 16 bits then.
/// - WAV is written as encode_wav() says; a WAV with another header or an encoding other than PCM or float is
///   written anew. FLAC is written as encode_flac() says; floats and 32 bits become 24 bits in it.
/// - Where the container is kept but something else changes, FLAC stays FLAC and all else becomes WAV.
/// - Mono is the mean of the channels; it comes before resampling.
///
/// Never throws for bad audio. Thread-safe, and depends on its arguments alone.
std::optional<Transformed> transform(std::span<const std::byte> audio, const AudioInfo& info,
                                     const WantedForm& form);

}  // namespace shardmill::audio
