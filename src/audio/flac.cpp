#include "audio/flac.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "audio/sndfile.hpp"

namespace shardmill::audio {
namespace {

template <typename Crc, Crc kPolynomial>
constexpr std::array<Crc, 256> crc_table() {
  constexpr unsigned kBits = sizeof(Crc) * 8;
  std::array<Crc, 256> table{};
  for (unsigned i = 0; i < 256; ++i) {
    unsigned crc = i << (kBits - 8);
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc << 1) ^ ((crc >> (kBits - 1) & 1) != 0 ? unsigned{kPolynomial} : 0U);
    }
    table[i] = static_cast<Crc>(crc);
  }
  return table;
}

unsigned crc8(std::span<const std::byte> bytes) {
  static constexpr auto kTable = crc_table<std::uint8_t, 0x07>();
  unsigned crc = 0;
  for (const std::byte byte : bytes) crc = kTable[crc ^ std::to_integer<unsigned>(byte)];
  return crc;
}

unsigned crc16(std::span<const std::byte> bytes) {
  static constexpr auto kTable = crc_table<std::uint16_t, 0x8005>();
  unsigned crc = 0;
  for (const std::byte byte : bytes) {
    crc = (crc << 8 & 0xffff) ^ kTable[crc >> 8 ^ std::to_integer<unsigned>(byte)];
  }
  return crc;
}

struct StreamInfo {
  std::uint32_t max_block_frames = 0;
  std::uint32_t sample_rate = 0;
  std::uint32_t channels = 0;
  std::uint32_t bits = 0;
  std::uint64_t total_frames = 0;  // 0 when not known
};

StreamInfo read_stream_info(ByteView body) {
  // 20 bits rate, 3 bits channels - 1, 5 bits bits - 1, 4 bits of the total.
  const std::uint32_t packed = body.be32(10);
  return {.max_block_frames = body.be16(2),
          .sample_rate = packed >> 12,
          .channels = (packed >> 9 & 7) + 1,
          .bits = (packed >> 4 & 31) + 1,
          .total_frames = std::uint64_t{packed & 15} << 32 | body.be32(14)};
}

/// Where the frames begin; nullopt when the bytes end before that.
std::optional<std::size_t> first_frame(ByteView audio) {
  std::size_t at = 4;
  while (at + 4 <= audio.size()) {
    const bool last = (audio.u8(at) & 0x80) != 0;
    at += 4 + audio.be24(at + 1);
    if (last) return at <= audio.size() ? std::optional(at) : std::nullopt;
  }
  return std::nullopt;
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

/// If a frame header that fits the stream lies at `at`: where in the stream that frame ends.
std::optional<std::uint64_t> frame_end(ByteView audio, std::size_t at, const StreamInfo& stream) {
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
  return *number * (variable ? 1 : stream.max_block_frames) + frames;
}

/// Where in the stream the last frame ends, which must end with the bytes; nullopt when there is no such
/// frame.
std::optional<std::uint64_t> last_frame_end(ByteView audio, std::size_t begin, const StreamInfo& stream) {
  // A frame is never larger than its plain values and a few bytes of headers. The number of tries is limited,
  // because bytes may be made to look like many headers.
  const std::size_t largest =
      std::size_t{stream.max_block_frames} * stream.channels * (stream.bits + 1) / 8 + 64 * stream.channels;
  const std::size_t size = audio.size();
  int tries = 64;
  for (std::size_t at = size; at-- > begin && size - at <= largest && tries > 0;) {
    if (audio.u8(at) != 0xff || (audio.u8(at + 1) & 0xfe) != 0xf8) continue;
    const std::optional<std::uint64_t> end = frame_end(audio, at, stream);
    if (!end || size - at < 8) continue;
    --tries;
    if (crc16(audio.bytes().subspan(at, size - at - 2)) == audio.be16(size - 2)) return end;
  }
  return std::nullopt;
}

}  // namespace

ByteView without_id3v1(ByteView audio) {
  constexpr std::size_t kTagBytes = 128;
  const bool tagged = audio.size() > kTagBytes && audio.has(audio.size() - kTagBytes, "TAG");
  return tagged ? audio.first(audio.size() - kTagBytes) : audio;
}

bool is_plain_flac(ByteView audio) {
  return audio.has(0, "fLaC") && read_stream_info(audio.from(8)).total_frames > 0;
}

ProbeResult probe_flac(ByteView tagged) {
  const ByteView audio = without_id3v1(tagged);
  constexpr std::size_t kStreamInfoBytes = 34;
  if (audio.size() < 8 + kStreamInfoBytes)
    return failure(ProbeVerdict::truncated, "it ends inside its header");
  if ((audio.u8(4) & 0x7f) != 0 || audio.be24(5) != kStreamInfoBytes) {
    return failure(ProbeVerdict::damaged, "its STREAMINFO block is missing");
  }
  const StreamInfo stream = read_stream_info(audio.from(8));
  AudioInfo info{.format = fmt::format("flac/pcm{}", stream.bits),
                 .sample_rate = stream.sample_rate,
                 .channels = stream.channels,
                 .frames = stream.total_frames};
  const std::optional<std::size_t> begin = first_frame(audio);
  if (!begin) return failure(ProbeVerdict::truncated, "it ends inside its metadata", std::move(info));
  if (*begin == audio.size()) {
    const bool promised = stream.total_frames > 0;
    return failure(promised ? ProbeVerdict::truncated : ProbeVerdict::empty, "it holds no audio",
                   std::move(info));
  }

  std::optional<std::uint64_t> end = last_frame_end(audio, *begin, stream);
  const bool ends_in_frame = end.has_value();
  if (!end) end = sndfile_count_frames(audio.bytes());
  if (!end) return failure(ProbeVerdict::damaged, "libsndfile cannot read it", std::move(info));
  info.frames = *end;
  ProbeResult result = judge(std::move(info));
  if (result.verdict == ProbeVerdict::absurd) return result;
  if (*end < stream.total_frames || (stream.total_frames == 0 && !ends_in_frame)) {
    result.verdict = ProbeVerdict::truncated;
    result.text = stream.total_frames == 0 ? std::string("it ends inside a frame")
                                           : fmt::format("{} of {} frames are missing",
                                                         stream.total_frames - *end, stream.total_frames);
  } else if (stream.total_frames == 0 && result.verdict == ProbeVerdict::good) {
    result.verdict = ProbeVerdict::size_unknown;
    result.text = "its header gives no number of frames";
  } else if (*end > stream.total_frames) {
    result.verdict = ProbeVerdict::damaged;
    result.text = fmt::format("it holds {} frames, and its header promises {}", *end, stream.total_frames);
  }
  return result;
}

}  // namespace shardmill::audio
