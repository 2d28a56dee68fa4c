#include "audio/containers.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "audio/sndfile.hpp"

namespace shardmill::audio {
namespace {

/// Where the audio should end according to the header; or `unknown`, when the header does not say.
struct Promise {
  std::uint64_t end = 0;
  bool unknown = false;
};

ProbeResult measure(ByteView audio, const Promise& promise) {
  std::optional<AudioInfo> info = sndfile_info(audio.bytes());
  if (!promise.unknown && promise.end > audio.size()) {
    return failure(ProbeVerdict::truncated,
                   fmt::format("{} bytes of audio are missing", promise.end - audio.size()),
                   info.value_or(AudioInfo{}));
  }
  if (!info) return failure(ProbeVerdict::damaged, "libsndfile cannot read it");
  ProbeResult result = judge(std::move(*info));
  if (promise.unknown && result.verdict == ProbeVerdict::good) {
    result.verdict = ProbeVerdict::size_unknown;
    result.text = "its header does not say how long it is";
  }
  return result;
}

struct OggPages {
  std::size_t whole_bytes = 0;  // up to the end of the last whole page
  bool cut = false;             // another page begins after it, but is not whole
  bool ended = false;           // the last page is marked as the last of its stream
  std::size_t streams = 0;      // one after another: streams that begin together count as one
};

OggPages walk_pages(ByteView audio) {
  constexpr std::size_t kHeaderBytes = 27;
  OggPages pages;
  std::size_t at = 0;
  bool was_beginning = false;
  while (audio.has(at, "OggS")) {
    const std::size_t segments = audio.u8(at + 26);
    std::size_t page_bytes = kHeaderBytes + segments;
    for (std::size_t i = 0; i < segments; ++i) page_bytes += audio.u8(at + kHeaderBytes + i);
    if (at + kHeaderBytes + segments > audio.size() || at + page_bytes > audio.size()) break;
    pages.ended = (audio.u8(at + 5) & 4) != 0;
    const bool begins = (audio.u8(at + 5) & 2) != 0;
    if (begins && !was_beginning) ++pages.streams;
    was_beginning = begins;
    at += page_bytes;
  }
  pages.whole_bytes = at;
  const std::string_view rest = audio.text(at, 4);
  pages.cut = !rest.empty() && std::string_view("OggS").starts_with(rest);
  return pages;
}

/// The value from a line "KEY -i 123" or "KEY -s3 abc" of a SPHERE header.
std::string_view sphere_value(std::string_view header, std::string_view key) {
  std::size_t at = 0;
  while (at < header.size()) {
    const std::string_view line = header.substr(at, header.find('\n', at) - at);
    if (line.starts_with(key) && line.substr(key.size()).starts_with(" -")) {
      const std::size_t blank = line.find(' ', key.size() + 1);
      return blank == std::string_view::npos ? std::string_view{} : line.substr(blank + 1);
    }
    at += line.size() + 1;
  }
  return {};
}

std::uint64_t number(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::uint32_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

ProbeResult probe_ogg(ByteView audio) {
  const OggPages pages = walk_pages(audio);
  if (pages.cut) return failure(ProbeVerdict::truncated, "it ends inside an Ogg page");
  constexpr std::size_t kFirstPacket = 28;
  if (!audio.has(kFirstPacket, "\x01vorbis") && !audio.has(kFirstPacket, "OpusHead")) {
    return failure(ProbeVerdict::unsupported, "an Ogg stream that is neither Vorbis nor Opus");
  }
  if (pages.streams > 1) {
    return failure(
        ProbeVerdict::damaged,
        fmt::format("it is a chain of {} Ogg streams, and libsndfile reads only the first", pages.streams));
  }
  // Leave out what follows the last page: it would hide the length from libsndfile.
  return measure(audio.first(pages.whole_bytes), {.end = pages.whole_bytes, .unknown = !pages.ended});
}

ProbeResult probe_sphere(ByteView audio) {
  const std::uint64_t header_bytes = number(audio.text(8, 8));
  const std::string_view header = audio.text(0, header_bytes);
  if (sphere_value(header, "sample_coding").find("shorten") != std::string_view::npos) {
    return failure(ProbeVerdict::unsupported,
                   "SPHERE compressed with shorten, which is not read: use sph2pipe first");
  }
  const std::uint64_t frame_bytes =
      number(sphere_value(header, "channel_count")) * number(sphere_value(header, "sample_n_bytes"));
  std::uint64_t end = 0;
  const bool absurd =
      __builtin_mul_overflow(number(sphere_value(header, "sample_count")), frame_bytes, &end) ||
      __builtin_add_overflow(end, header_bytes, &end);
  if (absurd) return failure(ProbeVerdict::absurd, "its header promises more audio than there can be");
  return measure(audio, {.end = end, .unknown = sphere_value(header, "sample_count").empty()});
}

ProbeResult probe_aiff(ByteView audio) {
  constexpr std::uint32_t kSmallestStreamingSize = 0x7f000000;  // sox to a pipe
  for (std::uint64_t at = 12; at + 8 <= audio.size();) {
    const auto header = static_cast<std::size_t>(at);
    const std::uint32_t bytes = audio.be32(header + 4);
    if (audio.has(header, "SSND")) {
      const bool unknown = (bytes == 0 && at + 8 < audio.size()) || bytes >= kSmallestStreamingSize;
      return measure(audio, {.end = at + 8 + bytes, .unknown = unknown});
    }
    at += 8 + std::uint64_t{bytes} + bytes % 2;
  }
  return failure(ProbeVerdict::truncated, "it ends before its audio begins");
}

ProbeResult probe_au(ByteView audio) {
  const bool big = audio.has(0, ".snd");
  const std::uint32_t begin = big ? audio.be32(4) : audio.le32(4);
  const std::uint32_t bytes = big ? audio.be32(8) : audio.le32(8);
  return measure(audio, {.end = std::uint64_t{begin} + bytes, .unknown = bytes == 0xffffffff});
}

ProbeResult probe_other(ByteView audio) {
  return measure(audio, {});
}

}  // namespace shardmill::audio
