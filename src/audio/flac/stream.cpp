#include "audio/flac/stream.hpp"

#include <FLAC/stream_decoder.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <span>
#include <string_view>
#include <utility>

#include "audio/flac.hpp"
#include "base/hash/crc.hpp"

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

namespace {

constexpr std::size_t kSmallestFrame = 8;

unsigned crc8(std::span<const std::byte> bytes) {
  static constexpr auto kTable = [] {
    std::array<std::uint8_t, 256> table{};
    for (unsigned i = 0; i < 256; ++i) {
      unsigned crc = i;
      for (int bit = 0; bit < 8; ++bit) crc = (crc << 1) ^ ((crc & 0x80) != 0 ? 0x107U : 0U);
      table[i] = static_cast<std::uint8_t>(crc);
    }
    return table;
  }();
  unsigned crc = 0;
  for (const std::byte byte : bytes) crc = kTable[crc ^ std::to_integer<unsigned>(byte)];
  return crc;
}

/// A number of up to 36 bits, coded like UTF-8; nullopt when it is not valid. Moves `at` past it.
std::optional<std::uint64_t> coded_number(ByteView audio, std::size_t& at) {
  const std::uint32_t first = audio.u8(at++);
  if (first < 0x80) return first;
  unsigned more = 0;
  while (more < 7 && (first & 0x40U >> more) != 0) ++more;
  if (more == 0 || more > 6) return std::nullopt;
  std::uint64_t value = first & (0x3fU >> more);
  for (; more > 0; --more) {
    const std::uint32_t byte = audio.u8(at++);
    if ((byte & 0xc0) != 0x80) return std::nullopt;
    value = value << 6 | (byte & 0x3f);
  }
  return value;
}

std::uint32_t block_frames(ByteView audio, unsigned code, std::size_t& at) {
  if (code == 1) return 192;
  if (code <= 5) return 576U << (code - 2);
  if (code >= 8) return 256U << (code - 8);
  const std::uint32_t value = code == 6 ? audio.u8(at) : audio.be16(at);
  at += code - 5;
  return value + 1;
}

}  // namespace

std::optional<FlacFrameRange> flac_frame_at(ByteView audio, std::size_t at, const FlacStreamInfo& stream) {
  if (audio.u8(at) != 0xff || (audio.u8(at + 1) & 0xfe) != 0xf8) return std::nullopt;
  constexpr std::array<std::uint32_t, 8> kBits{0, 8, 12, 0, 16, 20, 24, 32};
  const std::size_t begin = at;
  const bool variable = (audio.u8(at + 1) & 1) != 0;
  const unsigned block_code = audio.u8(at + 2) >> 4;
  const unsigned rate_code = audio.u8(at + 2) & 15;
  const unsigned channel_code = audio.u8(at + 3) >> 4;
  const unsigned bits_code = audio.u8(at + 3) >> 1 & 7;
  const std::uint32_t channels = channel_code < 8 ? channel_code + 1 : 2;
  if (block_code == 0 || rate_code == 15 || channel_code > 10 || (audio.u8(at + 3) & 1) != 0)
    return std::nullopt;
  if (channels != stream.channels || (bits_code != 0 && kBits[bits_code] != stream.bits)) return std::nullopt;
  at += 4;
  const std::optional<std::uint64_t> number = coded_number(audio, at);
  if (!number) return std::nullopt;
  const std::uint32_t frames = block_frames(audio, block_code, at);
  if (rate_code >= 12) at += rate_code == 12 ? 1 : 2;
  if (at >= audio.size() || crc8(audio.bytes().subspan(begin, at - begin)) != audio.u8(at))
    return std::nullopt;
  const std::uint64_t first = *number * (variable ? 1 : stream.max_block_frames);
  return FlacFrameRange{.begin = first, .end = first + frames};
}

FlacStreamInfo read_flac_stream_info(ByteView body) {
  // 20 bits rate, 3 bits channels - 1, 5 bits bits - 1, 4 bits of the total.
  const std::uint32_t packed = body.be32(10);
  return {.max_block_frames = body.be16(2),
          .least_frame_bytes = body.be24(4),
          .sample_rate = packed >> 12,
          .channels = (packed >> 9 & 7) + 1,
          .bits = (packed >> 4 & 31) + 1,
          .total_frames = std::uint64_t{packed & 15} << 32 | body.be32(14)};
}

namespace {

/// The place of the next byte 0xff, from `at` on; the size of the audio without one.
std::size_t next_sync(ByteView audio, std::size_t at) {
  if (at >= audio.size()) return audio.size();
  const void* found = std::memchr(audio.bytes().data() + at, 0xff, audio.size() - at);
  if (found == nullptr) return audio.size();
  return static_cast<std::size_t>(static_cast<const std::byte*>(found) - audio.bytes().data());
}

/// The data after a frame.
struct NextFrame {
  std::size_t at = 0;
  std::optional<FlacFrameRange> frame{};  // none if no whole frame follows
  int wrong = 0;                          // headers with a wrong CRC before them
  bool is_another = false;                // the frame is not the next in the stream
};

/// Looks for the frame after the one at `at`, which has at least `least` bytes. `begin`: the place in the
/// stream at which the next one must begin.
NextFrame find_next(ByteView audio, std::size_t at, std::uint64_t begin, std::size_t least,
                    const FlacStreamInfo& stream) {
  constexpr int kMostWrong = 16;  // bytes may be made to look like many headers
  NextFrame next;
  for (next.at = next_sync(audio, at + least); next.at < audio.size() && next.wrong < kMostWrong;
       next.at = next_sync(audio, next.at + 1)) {
    next.frame = flac_frame_at(audio, next.at, stream);
    if (!next.frame) continue;
    if (base::crc16(audio.bytes().subspan(at, next.at - at)) == 0) {
      next.is_another = next.frame->begin != begin;
      return next;
    }
    ++next.wrong;
  }
  next.frame.reset();
  return next;
}

}  // namespace

std::optional<std::size_t> find_damaged_frame(ByteView audio, std::size_t first, const FlacStreamInfo& stream,
                                              bool has_tail) {
  // The sizes in the header only save time.
  const std::size_t least = std::max<std::size_t>(kSmallestFrame, stream.least_frame_bytes);
  std::size_t at = first;
  auto frame = flac_frame_at(audio, at, stream);
  while (frame) {
    NextFrame next = find_next(audio, at, frame->end, least, stream);
    if (!next.frame) {
      const bool is_last_whole = base::crc16(audio.bytes().subspan(at)) == 0;
      const bool is_last = next.wrong == 0 && frame->end >= stream.total_frames;
      if (is_last_whole || (has_tail && is_last)) return std::nullopt;
      if (least > kSmallestFrame) next = find_next(audio, at, frame->end, kSmallestFrame, stream);
      if (!next.frame) return at;
    }
    if (next.is_another) return at;
    at = next.at;
    frame = next.frame;
  }
  return at;
}

}  // namespace shardmill::audio
