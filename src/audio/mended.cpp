#include "audio/mended.hpp"

#include "audio/byte_view.hpp"
#include "audio/flac.hpp"
#include "audio/wav.hpp"

namespace shardmill::audio {

namespace {

void put_big(Bytes& bytes, std::size_t at, std::uint64_t value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    bytes[at + i] = static_cast<std::byte>(value >> (8 * (count - 1 - i)) & 0xff);
}

Bytes copied(ByteView audio) {
  return {audio.bytes().begin(), audio.bytes().end()};
}

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

std::optional<Bytes> mended_au(ByteView audio) {
  constexpr std::size_t kSizeAt = 8;
  const std::uint32_t begin = audio.be32(4);
  if (!audio.has(0, ".snd") || audio.be32(kSizeAt) != 0xffffffff || begin > audio.size()) return std::nullopt;
  Bytes bytes = copied(audio);
  put_big(bytes, kSizeAt, audio.size() - begin, 4);
  return bytes;
}

/// The sizes of the file and of its audio, and the number of frames.
std::optional<Bytes> mended_aiff(ByteView audio, const AudioInfo& info) {
  std::size_t frames_at = 0;
  for (std::uint64_t at = 12; at + 8 <= audio.size();) {
    const auto header = static_cast<std::size_t>(at);
    const std::uint32_t bytes = audio.be32(header + 4);
    if (audio.has(header, "COMM")) frames_at = header + 10;
    if (audio.has(header, "SSND")) {
      if (at + 8 + bytes <= audio.size() && bytes != 0) return std::nullopt;
      Bytes mended = copied(audio);
      put_big(mended, header + 4, audio.size() - header - 8, 4);
      put_big(mended, 4, audio.size() - 8, 4);
      if (frames_at != 0) put_big(mended, frames_at, info.frames, 4);
      return mended;
    }
    at += 8 + std::uint64_t{bytes} + bytes % 2;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Bytes> mended(std::span<const std::byte> bytes, const AudioInfo& info) {
  const ByteView audio(bytes);
  if (audio.size() >= 0xffffffff) return std::nullopt;
  if (info.format.starts_with("wav/") && (audio.has(0, "RIFF") || audio.has(0, "RF64")))
    return mended_wav(audio, info);
  if (info.format.starts_with("flac/")) return mended_flac(audio, info);
  if (audio.has(0, ".snd")) return mended_au(audio);
  if (audio.has(0, "FORM")) return mended_aiff(audio, info);
  return std::nullopt;
}

}  // namespace shardmill::audio
