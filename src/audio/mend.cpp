#include "audio/mend.hpp"

#include <cstdint>
#include <string_view>

#include "audio/aiff.hpp"
#include "audio/byte_view.hpp"
#include "audio/containers.hpp"
#include "audio/flac.hpp"
#include "audio/put.hpp"
#include "audio/wav.hpp"

namespace shardmill::audio {

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
