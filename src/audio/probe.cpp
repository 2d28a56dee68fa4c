#include "audio/probe.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

#include "audio/byte_view.hpp"
#include "audio/containers.hpp"
#include "audio/ffmpeg.hpp"
#include "audio/flac.hpp"
#include "audio/wav.hpp"
#include "base/io/file.hpp"
#include "base/io/volumes.hpp"

namespace shardmill::audio {
namespace {

/// The name of a format that is recognised but not read; empty for any other format.
std::string_view unsupported_kind(ByteView audio) {
  if (audio.has(0, "MThd")) return "MIDI, which holds notes and no audio,";
  if (audio.has(0, "DSD ")) return "DSD audio";
  if (audio.has(0, "MAC ")) return "Monkey's Audio";
  if (audio.has(0, "wvpk")) return "WavPack audio";
  if (audio.has(0, "TTA1")) return "TTA audio";
  if (audio.has(0, "ADIF")) return "AAC audio without frame headers (ADIF)";
  return {};
}

/// Its length comes from decoding it, because headers may lie.
ProbeResult probe_foreign(std::span<const std::byte> bytes) {
  const std::string kind(foreign_kind(bytes));
  try {
    const base::File file = base::memory_file(bytes, kind);
    const ForeignAudio decoded = decode_foreign(file, true, ffmpeg_limit(bytes.size()));
    ProbeResult result = judge(decoded.info);
    Bytes wav(decoded.wav.size());
    wav.resize(decoded.wav.read_at(wav, 0));
    result.decoded = std::make_shared<const Bytes>(std::move(wav));
    return result;
  } catch (const Interrupted&) {
    throw;
  } catch (const NoFfmpeg& error) {
    return failure(ProbeVerdict::unsupported, fmt::format("{}: {}", kind, error.problem()));
  } catch (const CutAudio& error) {
    return failure(ProbeVerdict::truncated, fmt::format("{}: {}", kind, error.problem()));
  } catch (const Error& error) {
    return failure(ProbeVerdict::damaged, fmt::format("{}: {}", kind, error.problem()));
  }
}

/// Skips the tags at the start of MP3 and FLAC files.
ByteView without_id3v2(ByteView audio) {
  while (audio.has(0, "ID3") && audio.size() >= 10) {
    const std::size_t bytes =
        audio.u8(6) << 21 | audio.u8(7) << 14 | audio.u8(8) << 7 | audio.u8(9);  // 7 bits in each
    const std::size_t footer_bytes = (audio.u8(5) & 0x10) != 0 ? 10 : 0;
    audio = audio.from(10 + bytes + footer_bytes);
  }
  return audio;
}

}  // namespace

ProbeResult probe(std::span<const std::byte> bytes) {
  if (bytes.empty()) return failure(ProbeVerdict::empty, "it has no bytes");
  const ByteView tagged(bytes);
  const ByteView audio = without_id3v2(tagged);
  if (audio.has(0, "fLaC")) return probe_flac(audio);
  if (audio.has(8, "WAVE") && (audio.has(0, "RIFF") || audio.has(0, "RF64"))) return probe_wav(audio);
  if (audio.has(0, "OggS")) return probe_ogg(audio);
  if (audio.has(0, "NIST_1A\n")) return probe_sphere(audio);
  if (audio.has(0, "FORM") && (audio.has(8, "AIFF") || audio.has(8, "AIFC"))) return probe_aiff(audio);
  if (audio.has(0, ".snd") || audio.has(0, "dns.")) return probe_au(audio);
  if (audio.has(0, "RIFX") || audio.has(0, "riff") || audio.has(0, "caff")) return probe_other(audio);
  if (!foreign_kind(bytes).empty()) return probe_foreign(bytes);
  if (const std::string_view kind = unsupported_kind(audio); !kind.empty()) {
    return failure(ProbeVerdict::unsupported, fmt::format("{} is not read: convert it to FLAC first", kind));
  }
  const bool may_be_mpeg = audio.size() < tagged.size() || (audio.u8(0) == 0xff && audio.u8(1) >= 0xe0);
  if (may_be_mpeg) return probe_mpeg(audio);
  if (const std::string_view other = base::saved_instead(bytes); !other.empty())
    return failure(ProbeVerdict::unrecognised, fmt::format("it {}", other));
  return failure(ProbeVerdict::unrecognised, "it is not audio that shardmill knows");
}

ProbeResult judge(AudioInfo info) {
  if (info.sample_rate == 0 || info.sample_rate > kMaxSampleRate) {
    const std::string text = fmt::format("its sample rate is {} Hz", info.sample_rate);
    return failure(ProbeVerdict::absurd, text, std::move(info));
  }
  if (info.channels == 0 || info.channels > kMaxChannels) {
    const std::string text = fmt::format("it has {} channels", info.channels);
    return failure(ProbeVerdict::absurd, text, std::move(info));
  }
  if (info.frames == 0) return failure(ProbeVerdict::empty, "it has no frames", std::move(info));
  return {.verdict = ProbeVerdict::good, .info = std::move(info), .text = {}};
}

std::string_view name(ProbeVerdict verdict) {
  switch (verdict) {
    case ProbeVerdict::good:
      return "good";
    case ProbeVerdict::size_unknown:
      return "size_unknown";
    case ProbeVerdict::empty:
      return "empty";
    case ProbeVerdict::unrecognised:
      return "unrecognised";
    case ProbeVerdict::unsupported:
      return "unsupported";
    case ProbeVerdict::truncated:
      return "truncated";
    case ProbeVerdict::absurd:
      return "absurd";
    case ProbeVerdict::damaged:
      return "damaged";
  }
  return "unknown";
}

namespace {

/// STREAMINFO has 36 bits for the number of frames.
std::optional<Bytes> mended_flac(ByteView audio, const AudioInfo& info) {
  constexpr std::size_t kHighBitsAt = 21;
  constexpr std::uint64_t kMostFrames = (std::uint64_t{1} << 36) - 1;
  const std::size_t begin = audio.text(0, audio.size()).find("fLaC");
  if (begin == std::string_view::npos || is_plain_flac(audio.from(begin)) || info.frames > kMostFrames)
    return std::nullopt;
  Bytes bytes = copied(audio);
  bytes[begin + kHighBitsAt] |= static_cast<std::byte>(info.frames >> 32);
  put_big(bytes, begin + kHighBitsAt + 1, info.frames & 0xffffffff, 4);
  return bytes;
}

std::optional<Bytes> mended_ogg(ByteView audio) {
  const std::size_t bytes = ogg_page_bytes(audio);
  if (bytes == 0 || bytes == audio.size()) return std::nullopt;
  return copied(audio.first(bytes));
}

}  // namespace

std::optional<Bytes> mended(std::span<const std::byte> bytes, const AudioInfo& info) {
  const ByteView audio(bytes);
  if (audio.size() >= 0xffffffff) return std::nullopt;
  if (info.format.starts_with("wav/") && (audio.has(0, "RIFF") || audio.has(0, "RF64")))
    return mended_wav(audio, info);
  if (info.format.starts_with("flac/")) return mended_flac(audio, info);
  if (audio.has(0, "OggS")) return mended_ogg(audio);
  if (audio.has(0, ".snd") || audio.has(0, "dns.")) return mended_au(audio);
  if (audio.has(0, "FORM")) return mended_aiff(audio, info);
  return std::nullopt;
}

}  // namespace shardmill::audio
