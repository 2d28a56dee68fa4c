#include "audio/pcm/pcm.hpp"

#include <cstring>

#include "base/error.hpp"

namespace shardmill::audio {

std::string_view name(PcmEncoding encoding) {
  switch (encoding) {
    case PcmEncoding::pcm8:
      return "pcm8";
    case PcmEncoding::pcm16:
      return "pcm16";
    case PcmEncoding::pcm24:
      return "pcm24";
    case PcmEncoding::pcm32:
      return "pcm32";
    case PcmEncoding::float32:
      return "float32";
    case PcmEncoding::float64:
      break;
  }
  return "float64";
}

std::size_t value_bytes(PcmEncoding encoding) {
  switch (encoding) {
    case PcmEncoding::pcm8:
      return 1;
    case PcmEncoding::pcm16:
      return 2;
    case PcmEncoding::pcm24:
      return 3;
    case PcmEncoding::pcm32:
    case PcmEncoding::float32:
      return 4;
    case PcmEncoding::float64:
      break;
  }
  return 8;
}

bool is_float(PcmEncoding encoding) {
  return encoding == PcmEncoding::float32 || encoding == PcmEncoding::float64;
}

namespace {

/// The signed integer in `kBytes` little-endian bytes.
template <std::size_t kBytes>
std::int32_t integer_at(const std::byte* at) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, at, kBytes);
  constexpr unsigned kUnused = 32 - 8 * kBytes;
  return static_cast<std::int32_t>(bits << kUnused) >> kUnused;
}

template <std::size_t kBytes>
void read_integers(std::span<const std::byte> data, std::vector<double>& values) {
  constexpr double kStep = 1.0 / static_cast<double>(std::uint64_t{1} << (8 * kBytes - 1));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = integer_at<kBytes>(data.data() + kBytes * i) * kStep;
  }
}

template <typename Float>
void read_floats(std::span<const std::byte> data, std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    Float value{};
    std::memcpy(&value, data.data() + sizeof(Float) * i, sizeof(Float));
    values[i] = static_cast<double>(value);
  }
}

void check_numbers(std::span<const double> values) {
  // A value minus itself is 0, unless it is not a number or infinite. Summing up is faster than testing each
  // value.
  double sum = 0;
  for (const double value : values) sum += value - value;
  if (sum != 0) throw Error("holds values that are not numbers");
}

template <std::size_t kBytes>
void write_integers(std::span<const double> values, std::byte* out, std::uint64_t& clipped) {
  constexpr auto kScale = static_cast<double>(std::uint64_t{1} << (8 * kBytes - 1));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double rounded =
        round_into(values[i] * kScale, {.lowest = -kScale, .highest = kScale - 1}, clipped);
    const auto bits = static_cast<std::uint32_t>(static_cast<std::int32_t>(rounded));
    std::memcpy(out + kBytes * i, &bits, kBytes);
  }
}

template <typename Float>
void write_floats(std::span<const double> values, std::byte* out) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<Float>(values[i]);
    std::memcpy(out + sizeof(Float) * i, &value, sizeof(Float));
  }
}

// 8-bit values of a WAV are unsigned.
constexpr int kSilence8 = 128;

void read_bytes(std::span<const std::byte> data, std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = (std::to_integer<int>(data[i]) - kSilence8) / double{kSilence8};
}

void write_bytes(std::span<const double> values, std::byte* out, std::uint64_t& clipped) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double rounded = round_into(values[i] * kSilence8, {.lowest = -128, .highest = 127}, clipped);
    out[i] = static_cast<std::byte>(static_cast<int>(rounded) + kSilence8);
  }
}

}  // namespace

void read_values(std::span<const std::byte> data, PcmEncoding encoding, std::vector<double>& values) {
  values.resize(data.size() / value_bytes(encoding));
  switch (encoding) {
    case PcmEncoding::pcm8:
      return read_bytes(data, values);
    case PcmEncoding::pcm16:
      return read_integers<2>(data, values);
    case PcmEncoding::pcm24:
      return read_integers<3>(data, values);
    case PcmEncoding::pcm32:
      return read_integers<4>(data, values);
    case PcmEncoding::float32:
      return read_floats<float>(data, values);
    case PcmEncoding::float64:
      return read_floats<double>(data, values);
  }
}

void append_values(std::span<const double> values, Pcm& pcm) {
  check_numbers(values);
  const std::size_t before = pcm.data.size();
  pcm.data.resize(before + values.size() * value_bytes(pcm.encoding));
  std::byte* const out = pcm.data.data() + before;
  switch (pcm.encoding) {
    case PcmEncoding::pcm8:
      return write_bytes(values, out, pcm.clipped);
    case PcmEncoding::pcm16:
      return write_integers<2>(values, out, pcm.clipped);
    case PcmEncoding::pcm24:
      return write_integers<3>(values, out, pcm.clipped);
    case PcmEncoding::pcm32:
      return write_integers<4>(values, out, pcm.clipped);
    case PcmEncoding::float32:
      return write_floats<float>(values, out);
    case PcmEncoding::float64:
      return write_floats<double>(values, out);
  }
}

void take_channel(std::vector<double>& values, std::uint32_t channels, std::uint32_t channel) {
  const std::size_t frames = values.size() / channels;
  for (std::size_t frame = 0; frame < frames; ++frame) values[frame] = values[frame * channels + channel];
  values.resize(frames);
}

void mix_to_mono(std::vector<double>& values, std::uint32_t channels) {
  const std::size_t frames = values.size() / channels;
  for (std::size_t frame = 0; frame < frames; ++frame) {
    double sum = 0;
    for (std::size_t i = frame * channels; i < (frame + 1) * channels; ++i) sum += values[i];
    values[frame] = sum / channels;
  }
  values.resize(frames);
}

}  // namespace shardmill::audio
