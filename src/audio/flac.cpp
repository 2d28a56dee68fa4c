#include "audio/flac.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "audio/flac/stream.hpp"
#include "audio/sndfile.hpp"
#include "base/hash/crc.hpp"

namespace shardmill::audio {
namespace {

/// The start of the frames; nullopt if the bytes end before it.
std::optional<std::size_t> first_frame(ByteView audio) {
  std::size_t at = 4;
  while (at + 4 <= audio.size()) {
    const bool last = (audio.u8(at) & 0x80) != 0;
    at += 4 + audio.be24(at + 1);
    if (last) return at <= audio.size() ? std::optional(at) : std::nullopt;
  }
  return std::nullopt;
}

/// True if another stream begins at `from` or after it, as after `cat a.flac b.flac`.
bool begins_stream(ByteView audio, std::size_t from) {
  constexpr std::string_view kBegin("fLaC\0\0\0\x22", 8);  // with a STREAMINFO of 34 bytes after it
  return audio.text(from, audio.size()).find(kBegin) != std::string_view::npos;
}

/// The place in the stream at which the last frame ends, which must end with the bytes; nullopt if there is
/// no such frame.
std::optional<std::uint64_t> last_frame_end(ByteView audio, std::size_t begin, const FlacStreamInfo& stream) {
  // A frame is never larger than its plain values and a few bytes of headers. The number of tries is limited,
  // because bytes may be made to look like many headers.
  const std::size_t largest =
      std::size_t{stream.max_block_frames} * stream.channels * (stream.bits + 1) / 8 + 64 * stream.channels;
  const std::size_t size = audio.size();
  int tries = 64;
  for (std::size_t at = size; at-- > begin && size - at <= largest && tries > 0;) {
    if (audio.u8(at) != 0xff || (audio.u8(at + 1) & 0xfe) != 0xf8) continue;
    const std::optional<FlacFrameRange> frame = flac_frame_at(audio, at, stream);
    if (!frame || size - at < 8) continue;
    --tries;
    if (base::crc16(audio.bytes().subspan(at)) == 0) return frame->end;
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
  return audio.has(0, "fLaC") && read_flac_stream_info(audio.from(8)).total_frames > 0;
}

ProbeResult probe_flac(ByteView tagged) {
  const ByteView audio = without_id3v1(tagged);
  constexpr std::size_t kStreamInfoBytes = 34;
  if (audio.size() < 8 + kStreamInfoBytes)
    return failure(ProbeVerdict::truncated, "it ends inside its header");
  if ((audio.u8(4) & 0x7f) != 0 || audio.be24(5) != kStreamInfoBytes) {
    return failure(ProbeVerdict::damaged, "its STREAMINFO block is missing");
  }
  const FlacStreamInfo stream = read_flac_stream_info(audio.from(8));
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
  const bool seems_good =
      result.verdict == ProbeVerdict::good || result.verdict == ProbeVerdict::size_unknown;
  if (!seems_good) return result;
  if (const auto damaged = find_damaged_frame(audio, *begin, stream, !ends_in_frame)) {
    result.verdict = ProbeVerdict::damaged;
    result.text = begins_stream(audio, *damaged)
                      ? "another FLAC stream follows, which readers leave out"
                      : fmt::format("the FLAC frame at byte {} is damaged", *damaged);
  }
  return result;
}

std::string flac_damage(ByteView tagged) {
  ProbeResult probed = probe_flac(tagged);
  const bool is_damaged =
      probed.verdict == ProbeVerdict::damaged || probed.verdict == ProbeVerdict::truncated;
  return is_damaged ? std::move(probed.text) : std::string();
}

}  // namespace shardmill::audio
