// PcmDecoder: decodes any audio that libsndfile reads to PCM, from start to end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "audio/pcm/pcm.hpp"
#include "audio/sndfile_stream.hpp"

namespace shardmill::audio {

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
