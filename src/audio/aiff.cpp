
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "audio/byte_view.hpp"
#include "audio/containers.hpp"

namespace shardmill::audio {

namespace {

constexpr std::size_t kFormSizeAt = 4;
struct AiffLayout {
  std::optional<std::size_t> frames;  // where COMM has the number of frames
  std::optional<std::size_t> data;    // where the contents of SSND begin
  std::uint64_t promised = 0;         // bytes of SSND, by its header
  std::uint64_t present = 0;          // those that are audio
  bool unknown = false;               // the header does not give the size
  bool is_extended = false;           // the file goes on with audio after the end of SSND
  Trailer trailer{};

  bool is_right() const { return !unknown && !is_extended; }
};

/// True where the number of frames follows from the number of bytes.
bool has_plain_values(ByteView audio, std::size_t frames) {
  if (audio.has(8, "AIFF")) return true;
  constexpr std::size_t kCompressionBehind = 16;
  for (const std::string_view kind : {"NONE", "twos", "sowt", "in24", "in32", "raw ", "fl32", "FL32", "fl64",
                                      "FL64", "ulaw", "ULAW", "alaw", "ALAW"}) {
    if (audio.has(frames + kCompressionBehind, kind)) return true;
  }
  return false;
}

/// The end of the audio, if the size of FORM covers much more than SSND, and the bytes after SSND are no
/// chunk.
std::optional<std::uint64_t> end_by_form(ByteView audio, std::uint64_t end, const AiffLayout& layout) {
  if (layout.trailer.unexplained_bytes == 0 || layout.trailer.begins_with_chunk) return std::nullopt;
  const std::uint64_t form_end = kChunkHeaderBytes + std::uint64_t{audio.be32(kFormSizeAt)};
  const std::uint64_t covered = std::min<std::uint64_t>(form_end, audio.size());
  return covered >= end + kLeastHiddenBytes ? std::optional(covered) : std::nullopt;
}

void settle_aiff(ByteView audio, AiffLayout& layout) {
  constexpr std::uint32_t kSmallestStreamingSize = 0x7f000000;  // sox to a pipe
  const std::uint64_t there = audio.size() - *layout.data;
  layout.unknown = (layout.promised == 0 && there > 0) || layout.promised >= kSmallestStreamingSize;
  layout.present = layout.unknown ? there : std::min(layout.promised, there);
  if (layout.unknown || layout.promised > there) return;
  const std::uint64_t end = *layout.data + layout.promised;
  layout.trailer = trailer_of(audio, end, layout.promised % 2 != 0, ByteOrder::big);
  const auto covered = end_by_form(audio, end, layout);
  if (!covered || !layout.frames || !has_plain_values(audio, *layout.frames)) return;
  layout.is_extended = true;
  layout.present = *covered - *layout.data;
  layout.trailer = trailer_of(audio, *covered, false, ByteOrder::big);
}

AiffLayout aiff_layout(ByteView audio) {
  AiffLayout layout;
  for (std::uint64_t at = 12; at + kChunkHeaderBytes <= audio.size();) {
    const auto header = static_cast<std::size_t>(at);
    const std::uint32_t bytes = audio.be32(header + 4);
    if (audio.has(header, "COMM")) layout.frames = header + 10;
    if (audio.has(header, "SSND")) {
      layout.data = header + kChunkHeaderBytes;
      layout.promised = bytes;
      settle_aiff(audio, layout);
      return layout;
    }
    at += kChunkHeaderBytes + std::uint64_t{bytes} + bytes % 2;
  }
  return layout;
}

void put_ssnd_size(Bytes& bytes, const AiffLayout& layout) {
  put_big(bytes, *layout.data - 4, layout.present, 4);
}

}  // namespace

ProbeResult probe_aiff(ByteView audio) {
  const AiffLayout layout = aiff_layout(audio);
  if (!layout.data) return failure(ProbeVerdict::truncated, "it ends before its audio begins");
  ProbeResult result;
  if (layout.is_extended) {
    Bytes longer = copied(audio);
    put_ssnd_size(longer, layout);
    result = measure(ByteView(longer), {.end = *layout.data + layout.present});
    result.hidden_bytes = layout.present - layout.promised;
  } else {
    result = measure(audio, {.end = *layout.data + layout.promised, .unknown = layout.unknown});
  }
  result.trailing_bytes = layout.trailer.unexplained_bytes;
  return result;
}

std::optional<Bytes> mended_aiff(ByteView audio, const AudioInfo& info) {
  const AiffLayout layout = aiff_layout(audio);
  if (!layout.data) return std::nullopt;
  const bool has_wrong_count =
      layout.frames && has_plain_values(audio, *layout.frames) && audio.be32(*layout.frames) != info.frames;
  if (layout.is_right() && !has_wrong_count) return std::nullopt;
  Bytes bytes = copied(audio);
  if (!layout.is_right()) {
    put_ssnd_size(bytes, layout);
    put_big(bytes, kFormSizeAt, audio.size() - layout.trailer.unexplained_bytes - kChunkHeaderBytes, 4);
  }
  if (layout.frames) put_big(bytes, *layout.frames, info.frames, 4);
  return bytes;
}

}  // namespace shardmill::audio
