// Pcm: decoded audio, exactly as precise as the encoded audio, and its values as numbers to compute with.
// PcmDecoder: decodes any audio that libsndfile reads to PCM, from start to end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "audio/sndfile.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::audio {

/// Values in the form of the data chunk of a WAV: little-endian; signed, except pcm8, whose silence is 128.
enum class PcmEncoding { pcm8, pcm16, pcm24, pcm32, float32, float64 };

/// "pcm16" and so on, the part after the slash in AudioInfo::format.
std::string_view name(PcmEncoding encoding);
std::size_t value_bytes(PcmEncoding encoding);
bool is_float(PcmEncoding encoding);

struct Pcm {
  PcmEncoding encoding = PcmEncoding::pcm16;
  std::uint32_t sample_rate = 0;
  std::uint32_t channels = 0;
  Bytes data;                 // the values, channels interleaved
  std::uint64_t clipped = 0;  // values beyond full scale, which became the largest possible

  std::size_t frame_bytes() const { return value_bytes(encoding) * channels; }
  std::uint64_t frames() const { return data.size() / frame_bytes(); }
};

struct ValueRange {
  double lowest = 0;
  double highest = 0;
};

/// The nearest integer (of two, the even one), limited to the range; `clipped` grows by one if the limit was
/// needed. NaN becomes the lowest. `value` must not be more than 2^51 from zero, unless it is out of range.
inline double round_into(double value, ValueRange range, std::uint64_t& clipped) {
  // Adding this leaves no bits below one. It is much faster than a call, and the same on every machine.
  constexpr double kRounder = 3.0 * (std::uint64_t{1} << 51);
  const bool inside = value >= range.lowest - 0.5 && value < range.highest + 0.5;
  if (!inside) {
    ++clipped;
    return value > range.highest ? range.highest : range.lowest;
  }
  return (value + kRounder) - kRounder;
}

/// Reads all of `data`, which holds values of `encoding`. Full scale is 1, for integers and for floats.
/// Replaces the contents of `values`.
void read_values(std::span<const std::byte> data, PcmEncoding encoding, std::vector<double>& values);

/// Appends values to `pcm`. If it holds integers, they are rounded to the nearest, without dither, and values
/// beyond full scale are clipped and counted. Throws Error if a value is not a number.
void append_values(std::span<const double> values, Pcm& pcm);

/// Replaces all channels by one, their mean.
void mix_to_mono(std::vector<double>& values, std::uint32_t channels);
/// Keeps only one channel of several, from 0.
void take_channel(std::vector<double>& values, std::uint32_t channels, std::uint32_t channel);

/// PCM and float keep every bit. A-law, mu-law and ADPCM become 16 bits, which is their precision. Vorbis,
/// Opus and MP3, which have no number of bits, are rounded to 16 bits, with full scale at 32768. One thread
/// at a time; several decoders may be used at the same time.
class PcmDecoder {
 public:
  /// `audio` must outlive the decoder. Throws Error, which names no file, if libsndfile cannot read it.
  explicit PcmDecoder(std::span<const std::byte> audio);
  explicit PcmDecoder(base::File file);

  /// The information of the headers; nullopt if they give no length.
  const std::optional<AudioInfo>& info() const noexcept { return info_; }
  /// A Pcm without values, in the encoding that read() uses.
  Pcm empty_pcm() const;

  /// The number of frames read or skipped so far.
  std::uint64_t position() const noexcept { return position_; }
  /// Appends the next frames to `pcm`; fewer only if there are no more. Then damage() may have the reason.
  void read(std::uint64_t frames, Pcm& pcm);
  /// Skips frames, without decoding them if that is possible.
  void skip(std::uint64_t frames);
  void rewind();

  /// libsndfile's words about the place where it could not continue; empty if it could.
  const std::string& damage() const noexcept { return damage_; }

 private:
  enum class Route { direct16, direct32, direct_float, direct_double, from16, from32, from_float };

  void choose_route();
  std::uint64_t decode(std::uint64_t frames, Pcm& pcm);

  SndfileStream stream_;
  std::optional<AudioInfo> info_;
  PcmEncoding encoding_ = PcmEncoding::pcm16;
  Route route_ = Route::direct16;
  bool seekable_ = false;  // a frame can be found without decoding those before it
  bool ended_ = false;
  std::uint64_t position_ = 0;
  std::string damage_;
};

}  // namespace shardmill::audio
