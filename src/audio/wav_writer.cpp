#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include "audio/wav.hpp"
#include "base/error.hpp"

namespace shardmill::audio {

namespace {

constexpr std::size_t kLargestHeaderBytes = 58;

void append_tag(Bytes& out, std::string_view tag) {
  for (const char c : tag) out.push_back(static_cast<std::byte>(c));
}

void append_number(Bytes& out, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) out.push_back(static_cast<std::byte>(value >> (8 * i) & 0xff));
}

/// The bytes before the values.
Bytes header(PcmEncoding encoding, std::uint32_t sample_rate, std::uint32_t channels,
             std::uint64_t data_bytes) {
  const bool floats = is_float(encoding);
  const std::size_t frame_bytes = value_bytes(encoding) * channels;
  const std::uint64_t riff_bytes = (floats ? 50U : 36U) + data_bytes + data_bytes % 2;
  if (riff_bytes > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(fmt::format("{} bytes of audio are more than a WAV can hold", data_bytes));
  }
  Bytes out;
  out.reserve(kLargestHeaderBytes);
  append_tag(out, "RIFF");
  append_number(out, riff_bytes, 4);
  append_tag(out, "WAVEfmt ");
  append_number(out, floats ? 18 : 16, 4);
  append_number(out, floats ? 3 : 1, 2);
  append_number(out, channels, 2);
  append_number(out, sample_rate, 4);
  append_number(out, std::uint64_t{sample_rate} * frame_bytes, 4);
  append_number(out, frame_bytes, 2);
  append_number(out, 8 * value_bytes(encoding), 2);
  if (floats) {
    append_number(out, 0, 2);
    append_tag(out, "fact");
    append_number(out, 4, 4);
    append_number(out, data_bytes / frame_bytes, 4);
  }
  append_tag(out, "data");
  append_number(out, data_bytes, 4);
  return out;
}

std::optional<PcmEncoding> encoding_of_wav(std::string_view format) {
  using enum PcmEncoding;
  for (const PcmEncoding encoding : {pcm8, pcm16, pcm24, pcm32, float32, float64}) {
    if (format == fmt::format("wav/{}", name(encoding))) return encoding;
  }
  return std::nullopt;
}

}  // namespace

Bytes encode_wav(const Pcm& pcm) {
  const Bytes head = header(pcm.encoding, pcm.sample_rate, pcm.channels, pcm.data.size());
  Bytes out;
  out.reserve(head.size() + pcm.data.size() + 1);
  out = head;
  out.insert(out.end(), pcm.data.begin(), pcm.data.end());
  if (pcm.data.size() % 2 != 0) out.push_back(std::byte{0});
  return out;
}

bool is_plain_wav(std::span<const std::byte> audio, const AudioInfo& info) {
  const std::optional<PcmEncoding> encoding = encoding_of_wav(info.format);
  if (!encoding) return false;
  const std::uint64_t data_bytes = info.frames * info.channels * value_bytes(*encoding);
  if (data_bytes > audio.size()) return false;
  const Bytes head = header(*encoding, info.sample_rate, info.channels, data_bytes);
  return audio.size() == head.size() + data_bytes + data_bytes % 2 &&
         std::equal(head.begin(), head.end(), audio.begin());
}

}  // namespace shardmill::audio
