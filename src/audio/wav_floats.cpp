#include "audio/wav_floats.hpp"

#include <bit>
#include <cstdint>

#include "audio/byte_view.hpp"

namespace shardmill::audio {

namespace {

constexpr std::uint32_t kPlainPcm = 1;
constexpr std::size_t kPlainFormatAt = 20;  // its chunk is the first
constexpr std::size_t kPlainFormatBytes = 16;
constexpr float kPlainFullScale = 32768;
constexpr std::uint32_t kMostPlainChannels = 64;

}  // namespace

std::optional<FloatAudio> wav_floats(std::span<const std::byte> audio) {
  const ByteView view(audio);
  if (!view.has(0, "RIFF") || !view.has(8, "WAVEfmt ") || view.le32(16) != kPlainFormatBytes)
    return std::nullopt;
  std::size_t data = kPlainFormatAt + kPlainFormatBytes;
  if (view.has(data, "LIST") && view.le32(data + 4) % 2 == 0) data += 8 + std::size_t{view.le32(data + 4)};
  const std::uint32_t channels = view.le16(kPlainFormatAt + 2);
  const std::uint32_t rate = view.le32(kPlainFormatAt + 4);
  const std::size_t bytes = view.le32(data + 4);
  data += 8;
  const bool is_whole =
      view.has(data - 8, "data") && data + bytes == audio.size() && view.le32(4) == audio.size() - 8;
  const bool is_plain = view.le16(kPlainFormatAt) == kPlainPcm && view.le16(kPlainFormatAt + 14) == 16 &&
                        channels > 0 && channels <= kMostPlainChannels &&
                        view.le16(kPlainFormatAt + 12) == 2 * channels && rate > 0 && rate < 1'000'000 &&
                        view.le32(kPlainFormatAt + 8) == rate * 2 * channels && bytes > 0 &&
                        bytes % (2 * channels) == 0;
  if (!is_whole || !is_plain) return std::nullopt;
  FloatAudio sound{.sample_rate = rate, .channels = channels};
  sound.values.resize(bytes / 2);
  const std::byte* value = audio.data() + data;
  for (float& number : sound.values) {
    const auto bits = static_cast<std::uint16_t>(std::to_integer<unsigned>(value[0]) |
                                                 std::to_integer<unsigned>(value[1]) << 8);
    number = static_cast<float>(std::bit_cast<std::int16_t>(bits)) / kPlainFullScale;
    value += 2;
  }
  return sound;
}

}  // namespace shardmill::audio
