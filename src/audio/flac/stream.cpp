#include "audio/flac/stream.hpp"

#include <FLAC/stream_decoder.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "audio/flac.hpp"

namespace shardmill::audio {

namespace {

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

template <std::size_t kBytes>
void place(std::span<const std::int32_t> channel, std::uint32_t silence, std::byte* to, std::size_t stride) {
  for (const std::int32_t signed_value : channel) {
    const std::uint32_t value = static_cast<std::uint32_t>(signed_value) + silence;
    for (std::size_t i = 0; i < kBytes; ++i) to[i] = static_cast<std::byte>(value >> 8 * i & 0xff);
    to += stride;
  }
}

template <std::size_t kBytes>
void interleave(const FlacBlock& block, std::uint32_t silence, std::byte* values) {
  const std::size_t channels = block.channels.size();
  // For one channel the compiler can use vectors.
  if (channels == 1) return place<kBytes>({block.channels[0], block.frames}, silence, values, kBytes);
  for (std::size_t i = 0; i < channels; ++i)
    place<kBytes>({block.channels[i], block.frames}, silence, values + i * kBytes, channels * kBytes);
}

}  // namespace

struct FlacStream::Impl {
  struct DecoderDeleter {
    void operator()(FLAC__StreamDecoder* unused) const { FLAC__stream_decoder_delete(unused); }
  };

  std::span<const std::byte> flac;
  Sink sink;
  std::size_t position = 0;
  bool decoded_all = true;
  DecodedAudio decoded{};
  std::optional<Md5Digest> md5{};
  std::unique_ptr<FLAC__StreamDecoder, DecoderDeleter> decoder{FLAC__stream_decoder_new()};

  /// True if everything that the header promises has been decoded. Tags may follow.
  bool is_complete() const {
    const std::uint64_t total = FLAC__stream_decoder_get_total_samples(decoder.get());
    return total != 0 && decoded.frames >= total;
  }

  bool take(const FlacBlock& block) {
    if (is_complete()) decoded.damage = "another FLAC stream follows, which readers leave out";
    if (!decoded.damage.empty()) return false;  // only frames before the damage count
    decoded.frames += block.frames;
    for (std::size_t i = 0; decoded.silent && i < block.channels.size(); ++i) {
      decoded.silent = std::ranges::all_of(std::span(block.channels[i], block.frames),
                                           [](std::int32_t value) { return value == 0; });
    }
    return !sink || sink(block);
  }

  static FLAC__StreamDecoderReadStatus read(const FLAC__StreamDecoder*, FLAC__byte* buffer,
                                            std::size_t* bytes, void* user) {
    Impl& self = *static_cast<Impl*>(user);
    const auto rest = self.flac.subspan(self.position);
    *bytes = std::min(*bytes, rest.size());
    if (*bytes == 0) return FLAC__STREAM_DECODER_READ_STATUS_END_OF_STREAM;
    std::memcpy(buffer, rest.data(), *bytes);
    self.position += *bytes;
    return FLAC__STREAM_DECODER_READ_STATUS_CONTINUE;
  }

  static FLAC__StreamDecoderWriteStatus write(const FLAC__StreamDecoder*, const FLAC__Frame* frame,
                                              const FLAC__int32* const channels[], void* user) {
    const auto& header = frame->header;
    const bool more = static_cast<Impl*>(user)->take({.channels = std::span(channels, header.channels),
                                                      .frames = header.blocksize,
                                                      .bits = header.bits_per_sample});
    return more ? FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE : FLAC__STREAM_DECODER_WRITE_STATUS_ABORT;
  }

  static void note_header(const FLAC__StreamDecoder*, const FLAC__StreamMetadata* block, void* user) {
    if (block->type != FLAC__METADATA_TYPE_STREAMINFO) return;
    Md5Digest digest;
    std::memcpy(digest.data(), block->data.stream_info.md5sum, digest.size());
    if (digest != Md5Digest{}) static_cast<Impl*>(user)->md5 = digest;
  }

  /// Only the first error is reported.
  static void note_error(const FLAC__StreamDecoder*, FLAC__StreamDecoderErrorStatus status, void* user) {
    Impl& self = *static_cast<Impl*>(user);
    if (self.decoded.damage.empty() && !self.is_complete()) self.decoded.damage = in_words(status);
  }
};

FlacStream::FlacStream(std::span<const std::byte> flac, Md5 md5, Sink sink)
    : impl_(new Impl{.flac = without_id3v1(ByteView(flac)).bytes(), .sink = std::move(sink)}) {
  FLAC__StreamDecoder* const decoder = impl_->decoder.get();
  const bool compares = md5 == Md5::compared;
  if (decoder == nullptr || FLAC__stream_decoder_set_md5_checking(decoder, compares ? 1 : 0) == 0)
    throw std::bad_alloc();
  if (FLAC__stream_decoder_init_stream(decoder, Impl::read, nullptr, nullptr, nullptr, nullptr, Impl::write,
                                       Impl::note_header, Impl::note_error,
                                       impl_.get()) != FLAC__STREAM_DECODER_INIT_STATUS_OK) {
    throw std::bad_alloc();  // all callbacks are given, so nothing else can fail
  }
}

FlacStream::~FlacStream() = default;

bool FlacStream::next() {
  FLAC__StreamDecoder* const decoder = impl_->decoder.get();
  impl_->decoded_all = FLAC__stream_decoder_process_single(decoder) != 0;
  if (!impl_->decoded_all) return false;
  const FLAC__StreamDecoderState state = FLAC__stream_decoder_get_state(decoder);
  return state != FLAC__STREAM_DECODER_END_OF_STREAM && state != FLAC__STREAM_DECODER_ABORTED;
}

DecodedAudio FlacStream::finish() {
  FLAC__StreamDecoder* const decoder = impl_->decoder.get();
  std::string& damage = impl_->decoded.damage;
  if (!impl_->decoded_all && damage.empty()) damage = FLAC__stream_decoder_get_resolved_state_string(decoder);
  const bool same_md5 = FLAC__stream_decoder_finish(decoder) != 0;
  if (!same_md5 && damage.empty()) damage = kWrongMd5;
  return std::move(impl_->decoded);
}

const std::optional<FlacStream::Md5Digest>& FlacStream::md5() const noexcept {
  return impl_->md5;
}

void append_interleaved(const FlacBlock& block, std::size_t value_bytes, std::uint32_t silence,
                        Bytes& values) {
  const std::size_t before = values.size();
  values.resize(before + block.frames * block.channels.size() * value_bytes);
  std::byte* const to = values.data() + before;
  switch (value_bytes) {
    case 1:
      return interleave<1>(block, silence, to);
    case 2:
      return interleave<2>(block, silence, to);
    case 3:
      return interleave<3>(block, silence, to);
    default:
      return interleave<4>(block, silence, to);
  }
}

namespace {

DecodedAudio decode(FlacStream&& stream) {
  while (stream.next()) continue;
  return stream.finish();
}

}  // namespace

DecodedAudio decode_flac(std::span<const std::byte> flac) {
  return decode(FlacStream(flac, FlacStream::Md5::compared));
}

std::optional<Pcm> decode_sound_flac(std::span<const std::byte> flac, std::uint64_t frames, Pcm pcm) {
  if (is_float(pcm.encoding)) return std::nullopt;
  pcm.data.reserve(pcm.data.size() + frames * pcm.frame_bytes());
  const std::size_t bytes = value_bytes(pcm.encoding);
  const std::uint32_t silence = pcm.encoding == PcmEncoding::pcm8 ? 128 : 0;
  std::uint64_t left = frames;
  bool fits = true;
  const auto append = [&](const FlacBlock& block) {
    fits = block.channels.size() == pcm.channels && block.bits == 8 * bytes && block.frames <= left;
    if (!fits) return false;
    left -= block.frames;
    append_interleaved(block, bytes, silence, pcm.data);
    return true;
  };
  const DecodedAudio decoded = decode(FlacStream(flac, FlacStream::Md5::compared, append));
  const bool is_sound = fits && left == 0 && decoded.damage.empty();
  return is_sound ? std::optional(std::move(pcm)) : std::nullopt;
}

}  // namespace shardmill::audio
