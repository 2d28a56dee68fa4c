#include "audio/flac/decoding.hpp"

#include <utility>

#include "audio/flac/stream.hpp"

namespace shardmill::audio {

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
