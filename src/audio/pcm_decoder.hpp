// PcmDecoder: any audio that libsndfile reads, as PCM, from its start to its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "audio/pcm.hpp"
#include "audio/sndfile_stream.hpp"

namespace shardmill::audio {

/// PCM and float come out bit by bit as they are there; A-law, mu-law and ADPCM as 16 bits, which is all they
/// hold; Vorbis, Opus and MP3, which have no bits of their own, rounded to 16, full scale being 32768.
/// One thread at a time; many of them at once.
class PcmDecoder {
 public:
  /// `audio` must outlive the decoder. Throws Error, without a place, when libsndfile cannot read it.
  explicit PcmDecoder(std::span<const std::byte> audio);
  explicit PcmDecoder(base::File file);

  /// What its headers say; nullopt when they give no length.
  const std::optional<AudioInfo>& info() const noexcept { return info_; }
  /// How values come out, without any.
  Pcm empty_pcm() const;

  /// How many frames were read or skipped.
  std::uint64_t position() const noexcept { return position_; }
  /// Appends the next frames to `pcm`, fewer only when there are no more: then damage() may say why.
  void read(std::uint64_t frames, Pcm& pcm);
  /// Leaves out frames, decoding only what cannot be left undecoded.
  void skip(std::uint64_t frames);
  void rewind();

  /// What libsndfile says of the place where it could not go on; empty when it found none.
  const std::string& damage() const noexcept { return damage_; }

 private:
  enum class Route { direct16, direct32, direct_float, direct_double, from16, from32, from_float };

  void choose_route();
  std::uint64_t decode(std::uint64_t frames, Pcm& pcm);

  SndfileStream stream_;
  std::optional<AudioInfo> info_;
  PcmEncoding encoding_ = PcmEncoding::pcm16;
  Route route_ = Route::direct16;
  bool seekable_ = false;  // a frame is found without decoding those before it
  bool ended_ = false;
  std::uint64_t position_ = 0;
  std::string damage_;
};

}  // namespace shardmill::audio
