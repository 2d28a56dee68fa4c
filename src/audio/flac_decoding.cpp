#include "audio/flac_decoding.hpp"

#include <FLAC/stream_decoder.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include "audio/flac.hpp"

namespace shardmill::audio {

namespace {

struct Deleter {
  void operator()(FLAC__StreamDecoder* decoder) const { FLAC__stream_decoder_delete(decoder); }
};
using Decoder = std::unique_ptr<FLAC__StreamDecoder, Deleter>;

struct Run {
  std::span<const std::byte> flac;
  std::size_t position = 0;
  DecodedAudio decoded{};
  Pcm* pcm = nullptr;  // gets the values
  std::uint64_t most_frames = 0;
  bool fits = true;  // into `pcm`: no other values, and no more of them
};

template <std::size_t kBytes>
void interleave(const FLAC__int32* const channels[], std::uint32_t frames, Pcm& pcm) {
  const std::uint32_t silence = pcm.encoding == PcmEncoding::pcm8 ? 128 : 0;
  const std::size_t before = pcm.data.size();
  const std::size_t frame_bytes = kBytes * pcm.channels;
  pcm.data.resize(before + frames * frame_bytes);
  for (std::uint32_t channel = 0; channel < pcm.channels; ++channel) {
    std::byte* to = pcm.data.data() + before + channel * kBytes;
    for (const FLAC__int32 signed_value : std::span(channels[channel], frames)) {
      const std::uint32_t value = static_cast<std::uint32_t>(signed_value) + silence;
      for (std::size_t i = 0; i < kBytes; ++i) to[i] = static_cast<std::byte>(value >> 8 * i & 0xff);
      to += frame_bytes;
    }
  }
}

/// False when the frame holds other values than `pcm`.
bool append_values(const FLAC__Frame& frame, const FLAC__int32* const channels[], Pcm& pcm) {
  if (frame.header.channels != pcm.channels || is_float(pcm.encoding) ||
      frame.header.bits_per_sample != 8 * value_bytes(pcm.encoding)) {
    return false;
  }
  switch (pcm.encoding) {
    case PcmEncoding::pcm8:
      interleave<1>(channels, frame.header.blocksize, pcm);
      return true;
    case PcmEncoding::pcm16:
      interleave<2>(channels, frame.header.blocksize, pcm);
      return true;
    case PcmEncoding::pcm24:
      interleave<3>(channels, frame.header.blocksize, pcm);
      return true;
    default:
      return false;
  }
}

FLAC__StreamDecoderReadStatus read(const FLAC__StreamDecoder*, FLAC__byte* buffer, std::size_t* bytes,
                                   void* user) {
  Run& run = *static_cast<Run*>(user);
  const auto rest = run.flac.subspan(run.position);
  *bytes = std::min(*bytes, rest.size());
  if (*bytes == 0) return FLAC__STREAM_DECODER_READ_STATUS_END_OF_STREAM;
  std::memcpy(buffer, rest.data(), *bytes);
  run.position += *bytes;
  return FLAC__STREAM_DECODER_READ_STATUS_CONTINUE;
}

/// All that the header promises has been decoded. Tags may follow.
bool is_complete(const FLAC__StreamDecoder* decoder, const DecodedAudio& decoded) {
  const std::uint64_t total = FLAC__stream_decoder_get_total_samples(decoder);
  return total != 0 && decoded.frames >= total;
}

FLAC__StreamDecoderWriteStatus write(const FLAC__StreamDecoder* decoder, const FLAC__Frame* frame,
                                     const FLAC__int32* const channels[], void* user) {
  Run& run = *static_cast<Run*>(user);
  DecodedAudio& decoded = run.decoded;
  if (is_complete(decoder, decoded)) decoded.damage = "another FLAC stream follows, which readers leave out";
  if (!decoded.damage.empty()) return FLAC__STREAM_DECODER_WRITE_STATUS_ABORT;  // frames count up to it
  decoded.frames += frame->header.blocksize;
  for (std::uint32_t i = 0; decoded.silent && i < frame->header.channels; ++i) {
    const std::span values(channels[i], frame->header.blocksize);
    decoded.silent = std::ranges::all_of(values, [](FLAC__int32 value) { return value == 0; });
  }
  if (run.pcm == nullptr) return FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE;
  run.fits = decoded.frames <= run.most_frames && append_values(*frame, channels, *run.pcm);
  if (!run.fits) return FLAC__STREAM_DECODER_WRITE_STATUS_ABORT;
  return FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE;
}

std::string_view in_words(FLAC__StreamDecoderErrorStatus status) {
  switch (status) {
    case FLAC__STREAM_DECODER_ERROR_STATUS_LOST_SYNC:
      return "no frame begins where one must";
    case FLAC__STREAM_DECODER_ERROR_STATUS_BAD_HEADER:
      return "the header of a frame is damaged";
    case FLAC__STREAM_DECODER_ERROR_STATUS_FRAME_CRC_MISMATCH:
      return "a frame has a wrong checksum";
    default:
      return "a part of it is damaged";
  }
}

/// The first error is the one to tell.
void note_error(const FLAC__StreamDecoder* decoder, FLAC__StreamDecoderErrorStatus status, void* user) {
  DecodedAudio& decoded = static_cast<Run*>(user)->decoded;
  if (decoded.damage.empty() && !is_complete(decoder, decoded)) decoded.damage = in_words(status);
}

void decode(Run& run) {
  const Decoder decoder(FLAC__stream_decoder_new());
  if (!decoder || FLAC__stream_decoder_set_md5_checking(decoder.get(), 1) == 0) throw std::bad_alloc();
  if (FLAC__stream_decoder_init_stream(decoder.get(), read, nullptr, nullptr, nullptr, nullptr, write,
                                       nullptr, note_error, &run) != FLAC__STREAM_DECODER_INIT_STATUS_OK) {
    throw std::bad_alloc();  // nothing else can fail with all callbacks given
  }
  const bool decoded = FLAC__stream_decoder_process_until_end_of_stream(decoder.get()) != 0;
  std::string& damage = run.decoded.damage;
  if (!decoded && damage.empty()) damage = FLAC__stream_decoder_get_resolved_state_string(decoder.get());
  const bool same_md5 = FLAC__stream_decoder_finish(decoder.get()) != 0;
  if (!same_md5 && damage.empty()) damage = "the MD5 of its values is not the one in its header";
}

}  // namespace

DecodedAudio decode_flac(std::span<const std::byte> flac) {
  Run run{.flac = without_id3v1(ByteView(flac)).bytes()};
  decode(run);
  return std::move(run.decoded);
}

std::optional<Pcm> decode_sound_flac(std::span<const std::byte> flac, std::uint64_t frames, Pcm pcm) {
  Run run{.flac = without_id3v1(ByteView(flac)).bytes(), .pcm = &pcm, .most_frames = frames};
  pcm.data.reserve(pcm.data.size() + frames * pcm.frame_bytes());
  decode(run);
  const bool is_sound = run.fits && run.decoded.damage.empty() && run.decoded.frames == frames;
  return is_sound ? std::optional(std::move(pcm)) : std::nullopt;
}

}  // namespace shardmill::audio
