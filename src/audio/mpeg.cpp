#include <fmt/format.h>

#include <array>
#include <optional>

#include "audio/containers.hpp"

namespace shardmill::audio {
namespace {

struct Frame {
  unsigned layer = 0;    // 1 to 3
  unsigned version = 0;  // as coded: 3 = MPEG 1, 2 = MPEG 2, 0 = MPEG 2.5
  std::uint32_t sample_rate = 0;
  std::uint32_t channels = 0;
  std::uint32_t samples = 0;
  std::size_t bytes = 0;

  bool fits(const Frame& other) const {
    return layer == other.layer && version == other.version && sample_rate == other.sample_rate;
  }
};

std::uint32_t bit_rate(unsigned version, unsigned layer, unsigned code) {
  constexpr std::array<std::array<std::uint16_t, 15>, 5> kKilobits{{
      {0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448},  // MPEG 1 layer I
      {0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384},     // MPEG 1 layer II
      {0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320},      // MPEG 1 layer III
      {0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256},     // MPEG 2 layer I
      {0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},          // MPEG 2 layers II and III
  }};
  const std::size_t row = version == 3 ? layer - 1 : layer == 1 ? 3 : 4;
  return std::uint32_t{kKilobits[row][code]} * 1000;
}

std::optional<Frame> read_frame(ByteView audio, std::size_t at) {
  constexpr std::array<std::uint32_t, 3> kRates{44100, 48000, 32000};
  const std::uint32_t header = audio.be32(at);
  Frame frame;
  frame.version = header >> 19 & 3;
  frame.layer = 4 - (header >> 17 & 3);
  const unsigned rate_code = header >> 12 & 15;
  const unsigned sample_code = header >> 10 & 3;
  if (header >> 21 != 0x7ff || frame.version == 1 || frame.layer == 4) return std::nullopt;
  if (rate_code == 0 || rate_code == 15 || sample_code == 3) return std::nullopt;
  frame.sample_rate = kRates[sample_code] >> (frame.version == 3 ? 0 : frame.version == 2 ? 1 : 2);
  frame.channels = (header >> 6 & 3) == 3 ? 1 : 2;
  frame.samples = frame.layer == 1 ? 384 : frame.layer == 3 && frame.version != 3 ? 576 : 1152;
  const std::uint32_t slot = frame.layer == 1 ? 4 : 1;
  const std::uint32_t padding = header >> 9 & 1;
  const std::uint32_t bits = bit_rate(frame.version, frame.layer, rate_code);
  frame.bytes = std::size_t{frame.samples / 8 / slot * bits / frame.sample_rate + padding} * slot;
  return frame;
}

/// The information of the first frame, if it has a table of contents and no audio.
struct Contents {
  std::optional<std::uint32_t> frames;
  std::uint32_t delay = 0;  // samples before and after the audio
  std::uint32_t padding = 0;
};

std::optional<Contents> read_contents(ByteView audio, std::size_t at, const Frame& frame) {
  const bool protected_by_crc = (audio.u8(at + 1) & 1) == 0;
  const std::size_t side_bytes =
      frame.version == 3 ? (frame.channels == 1 ? 17 : 32) : (frame.channels == 1 ? 9 : 17);
  if (audio.has(at + 36, "VBRI")) return Contents{.frames = audio.be32(at + 36 + 14)};
  for (const std::size_t crc : {std::size_t{0}, std::size_t{protected_by_crc ? 2U : 0U}}) {
    std::size_t tag = at + 4 + side_bytes + crc;
    if (!audio.has(tag, "Xing") && !audio.has(tag, "Info")) continue;
    const std::uint32_t flags = audio.be32(tag + 4);
    Contents contents;
    tag += 8;
    if ((flags & 1) != 0) contents.frames = audio.be32(tag);
    tag += ((flags & 1) != 0 ? 4U : 0U) + ((flags & 2) != 0 ? 4U : 0U) + ((flags & 4) != 0 ? 100U : 0U) +
           ((flags & 8) != 0 ? 4U : 0U);
    if (audio.has(tag, "LAME") || audio.has(tag, "Lav")) {
      const std::uint32_t packed = audio.be24(tag + 21);
      contents.delay = packed >> 12;
      contents.padding = packed & 0xfff;
    }
    return contents;
  }
  return std::nullopt;
}

struct Walk {
  std::uint64_t frames = 0;
  std::size_t missing_bytes = 0;  // missing at the end of the last frame
};

/// Walks over everything that looks like a frame of this stream, and skips other bytes.
Walk walk_frames(ByteView audio, std::size_t at, const Frame& first) {
  Walk walk;
  while (at + 4 <= audio.size()) {
    const std::optional<Frame> frame = read_frame(audio, at);
    if (!frame || !frame->fits(first)) {
      ++at;
      continue;
    }
    if (at + frame->bytes > audio.size()) {
      walk.missing_bytes = at + frame->bytes - audio.size();
      break;
    }
    ++walk.frames;
    at += frame->bytes;
  }
  return walk;
}

/// The first frame with another of its kind after it, or at the end of the bytes.
std::optional<std::size_t> find_first_frame(ByteView audio) {
  constexpr std::size_t kFarthest = 64 << 10;
  for (std::size_t at = 0; at + 4 <= audio.size() && at < kFarthest; ++at) {
    const std::optional<Frame> frame = read_frame(audio, at);
    if (!frame) continue;
    const std::size_t next = at + frame->bytes;
    if (next == audio.size()) return at;
    const std::optional<Frame> second = read_frame(audio, next);
    if (second && second->fits(*frame)) return at;
  }
  return std::nullopt;
}

ByteView without_tags(ByteView audio) {
  constexpr std::size_t kId3v1Bytes = 128;
  if (audio.size() > kId3v1Bytes && audio.has(audio.size() - kId3v1Bytes, "TAG")) {
    audio = audio.first(audio.size() - kId3v1Bytes);
  }
  constexpr std::size_t kApeFooterBytes = 32;
  if (audio.size() > kApeFooterBytes && audio.has(audio.size() - kApeFooterBytes, "APETAGEX")) {
    const std::size_t footer = audio.size() - kApeFooterBytes;
    const std::size_t with_header = (audio.le32(footer + 20) >> 31) * kApeFooterBytes;
    const std::size_t tag_bytes = audio.le32(footer + 12) + with_header;
    if (tag_bytes < audio.size()) audio = audio.first(audio.size() - tag_bytes);
  }
  return audio;
}

}  // namespace

ProbeResult probe_mpeg(ByteView tagged) {
  const ByteView audio = without_tags(tagged);
  const std::optional<std::size_t> begin = find_first_frame(audio);
  if (!begin) return failure(ProbeVerdict::unrecognised, "it is not audio that shardmill knows");
  const Frame first = *read_frame(audio, *begin);
  const std::optional<Contents> contents = read_contents(audio, *begin, first);
  const Walk walk = walk_frames(audio, contents ? *begin + first.bytes : *begin, first);
  AudioInfo info{.format = fmt::format("mp{}", first.layer),
                 .sample_rate = first.sample_rate,
                 .channels = first.channels,
                 .frames = walk.frames * first.samples};
  if (contents) {
    info.frames -= std::min<std::uint64_t>(info.frames, contents->delay + contents->padding);
    if (contents->frames && walk.frames < *contents->frames) {
      return failure(
          ProbeVerdict::truncated,
          fmt::format("{} of {} MPEG frames are missing", *contents->frames - walk.frames, *contents->frames),
          std::move(info));
    }
  }
  if (walk.missing_bytes > 0 && (!contents || !contents->frames)) {
    return failure(ProbeVerdict::truncated, "it ends inside an MPEG frame", std::move(info));
  }
  return judge(std::move(info));
}

}  // namespace shardmill::audio
