// transform: converts audio to the wanted form, and measures its decoded values on the way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/hash/hash.hpp"
#include "model/audio_info.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::audio {

/// What to measure in the decoded values.
struct Hearing {
  bool quality = false;
  bool sound = false;  // a hash of the values

  bool any() const noexcept { return quality || sound; }
};

/// The results of a Hearing.
struct Heard {
  std::optional<AudioQuality> quality{};
  std::optional<base::Xxh128> sound{};
};

struct WantedForm {
  enum class Container { keep, wav, flac };

  Container container = Container::keep;
  std::optional<std::uint32_t> sample_rate{};  // unchanged when not given
  bool mono = false;
  std::optional<std::uint32_t> one_channel{};  // only this one, from 0; audio of one channel stays as it is
  bool splits_channels = false;  // each channel is converted by itself; transform() ignores this
  bool pcm16 = false;            // values of 16 bits; lossy audio that is not decoded has none
  Hearing hearing{};             // what to measure on the way

  /// True if something may have to change.
  bool given() const {
    return container != Container::keep || sample_rate || mono || one_channel || splits_channels || pcm16;
  }
  /// True if audio may have to be decoded.
  bool decodes() const { return given() || hearing.any(); }
};

struct Transformed {
  Bytes bytes;
  AudioInfo info;
  std::uint64_t clipped = 0;     // values that were beyond full scale
  bool channels_cancel = false;  // the mean of the channels has less than a hundredth of their energy
  std::string problem;           // one clause: why the conversion failed; empty if it did not
  bool is_unchanged = false;     // the audio already has the wanted form; `bytes` is empty
  Heard heard{};
};

/// The limit for one decoded member of a sample, because a few bytes of FLAC can hold hours of silence.
inline constexpr std::uint64_t kMostPcmBytes = std::uint64_t{256} << 20;

/// Converts `audio`, which `info` describes. Returns nullopt, and decodes nothing, if it already has this
/// form and nothing is to be measured.
///
/// - Values keep every bit, unless rate or channels change or the container cannot hold them. Recomputed
/// values are
///   rounded to the nearest without dither, and values beyond full scale are clipped and counted; audio of 8
///   bits then becomes 16 bits.
/// - encode_wav() writes WAV; a WAV with another header or an encoding other than PCM or float is written
/// again.
///   encode_flac() writes FLAC; floats and 32 bits become 24 bits in it.
/// - If the container is kept but something else changes, FLAC stays FLAC and everything else becomes WAV.
/// - Mono is the mean of the channels. It is computed before resampling, and so is the choice of a channel.
/// - With `pcm16`, values of more bits are rounded to the nearest, without dither.
/// - Clipping, offset and silence are measured in the original audio, the hash and the band in the result.
///
/// Never throws for bad audio. Thread-safe. The result depends only on the arguments.
///
/// `decoded`: ProbeResult::decoded of this audio, if there is one.
std::optional<Transformed> transform(std::span<const std::byte> audio, const AudioInfo& info,
                                     const WantedForm& form, const Bytes* decoded = nullptr);

}  // namespace shardmill::audio
