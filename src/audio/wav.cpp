#include "audio/wav.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "audio/sndfile.hpp"

namespace shardmill::audio {
namespace {

constexpr std::uint32_t kPcm = 1;
constexpr std::uint32_t kFloat = 3;
constexpr std::uint32_t kAlaw = 6;
constexpr std::uint32_t kMulaw = 7;
constexpr std::uint32_t kExtensible = 0xfffe;
// sox writes 0x7ffff000 to a pipe, ffmpeg 0xffffffff, arecord 0x80000000. No member of a shard is this large.
constexpr std::uint32_t kSmallestStreamingSize = 0x7fff0000;

struct Chunks {
  std::optional<std::size_t> format;  // where the contents of "fmt " begin
  std::optional<std::size_t> data;
  std::uint64_t data_bytes = 0;
  std::uint64_t large_data_bytes = 0;  // from RF64's "ds64"
  bool cut = false;                    // the bytes end inside a chunk before the data
};

Chunks find_chunks(ByteView audio) {
  Chunks chunks;
  std::uint64_t at = 12;
  while (at + 8 <= audio.size()) {
    const auto header = static_cast<std::size_t>(at);
    const std::uint32_t bytes = audio.le32(header + 4);
    if (audio.has(header, "data")) {
      chunks.data = header + 8;
      chunks.data_bytes = bytes;
      return chunks;
    }
    if (audio.has(header, "fmt ")) chunks.format = header + 8;
    if (audio.has(header, "ds64")) chunks.large_data_bytes = audio.le64(header + 16);
    at += 8 + std::uint64_t{bytes} + bytes % 2;
  }
  chunks.cut = at != audio.size();
  return chunks;
}

/// A size of 0 may also be true, when other chunks follow.
bool has_unset_size(ByteView audio, const Chunks& chunks) {
  return chunks.data && chunks.data_bytes == 0 && audio.size() > *chunks.data &&
         !audio.has(*chunks.data, "LIST") && !audio.has(*chunks.data, "id3 ");
}

/// The name of an encoding that we measure; empty for those that libsndfile must measure.
std::string encoding(std::uint32_t tag, std::uint32_t bits) {
  if (tag == kPcm && (bits == 8 || bits == 16 || bits == 24 || bits == 32)) return fmt::format("pcm{}", bits);
  if (tag == kFloat && (bits == 32 || bits == 64)) return fmt::format("float{}", bits);
  if (tag == kAlaw && bits == 8) return "alaw";
  if (tag == kMulaw && bits == 8) return "ulaw";
  return {};
}

/// What `data_bytes` bytes of audio are; nullopt when only libsndfile can tell.
std::optional<AudioInfo> measure(ByteView audio, std::size_t format, std::uint64_t data_bytes) {
  std::uint32_t tag = audio.le16(format);
  if (tag == kExtensible) tag = audio.le16(format + 24);
  const std::uint32_t bits = audio.le16(format + 14);
  AudioInfo info{.format = "wav/" + encoding(tag, bits),
                 .sample_rate = audio.le32(format + 4),
                 .channels = audio.le16(format + 2),
                 .frames = 0};
  const std::uint32_t frame_bytes = audio.le16(format + 12);
  if (info.format == "wav/") return std::nullopt;
  if (info.channels == 0 || info.channels > kMaxChannels) return info;
  if (frame_bytes != info.channels * bits / 8) return std::nullopt;
  info.frames = data_bytes / frame_bytes;
  return info;
}

}  // namespace

std::optional<std::size_t> find_unset_data_size(ByteView head) {
  if (!head.has(0, "RIFF") || !head.has(8, "WAVE")) return std::nullopt;
  const Chunks chunks = find_chunks(head);
  if (!has_unset_size(head, chunks)) return std::nullopt;
  return *chunks.data - 4;
}

ProbeResult probe_wav(ByteView audio) {
  const Chunks chunks = find_chunks(audio);
  if (!chunks.data && chunks.cut) {
    return failure(ProbeVerdict::truncated, "it ends before its audio begins");
  }
  if (!chunks.data) return failure(ProbeVerdict::empty, "it has no data chunk");
  if (!chunks.format) return failure(ProbeVerdict::damaged, "no format chunk stands before its data");

  std::uint64_t promised = chunks.data_bytes;
  if (promised == 0xffffffff && audio.has(0, "RF64")) promised = chunks.large_data_bytes;
  const std::uint64_t there = audio.size() - *chunks.data;
  const bool unknown =
      has_unset_size(audio, chunks) || (promised > there && promised >= kSmallestStreamingSize);
  const std::uint64_t present = unknown ? there : std::min(promised, there);

  std::optional<AudioInfo> info = measure(audio, *chunks.format, present);
  if (!info) info = sndfile_info(audio.bytes());
  if (!info) return failure(ProbeVerdict::unsupported, "a WAV of an encoding that libsndfile does not read");
  ProbeResult result = judge(std::move(*info));
  if (result.verdict == ProbeVerdict::absurd) return result;
  if (promised > there && !unknown) {
    result.verdict = ProbeVerdict::truncated;
    result.text = fmt::format("{} of {} bytes of audio are missing", promised - there, promised);
  } else if (unknown && result.verdict == ProbeVerdict::good) {
    result.verdict = ProbeVerdict::size_unknown;
    result.text = fmt::format("its header gives {} bytes of audio, as streaming writers do{}", promised,
                              promised == 0 ? ": most readers find none" : "");
  }
  return result;
}

}  // namespace shardmill::audio
