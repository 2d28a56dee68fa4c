#include "audio/flac/frames.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "base/hash/crc16.hpp"

namespace shardmill::audio {

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
