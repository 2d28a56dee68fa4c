#include "shardmill/audio/pcm_values.hpp"

#include <cmath>
#include <cstring>

#include "shardmill/base/error.hpp"

namespace shardmill::audio {

namespace {

/// The integer of `kBytes` little-endian bytes, signed.
template <std::size_t kBytes>
std::int32_t integer_at(const std::byte* at) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, at, kBytes);
  constexpr unsigned kUnused = 32 - 8 * kBytes;
  return static_cast<std::int32_t>(bits << kUnused) >> kUnused;
}

template <std::size_t kBytes>
void read_integers(const Bytes& data, std::vector<double>& values) {
  constexpr double kStep = 1.0 / static_cast<double>(std::uint64_t{1} << (8 * kBytes - 1));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = integer_at<kBytes>(data.data() + kBytes * i) * kStep;
  }
}

template <typename Float>
void read_floats(const Bytes& data, std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    Float value{};
    std::memcpy(&value, data.data() + sizeof(Float) * i, sizeof(Float));
    values[i] = double{value};
  }
}

void check_numbers(std::span<const double> values) {
  // The sum of differences is a number as long as all values are: one test a value costs more.
  double sum = 0;
  for (const double value : values) sum += value - value;
  if (sum != 0) throw Error("holds values that are no numbers");
}

template <std::size_t kBytes>
void write_integers(std::span<const double> values, Pcm& pcm) {
  constexpr auto kScale = static_cast<double>(std::uint64_t{1} << (8 * kBytes - 1));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double rounded =
        round_into(values[i] * kScale, {.lowest = -kScale, .highest = kScale - 1}, pcm.clipped);
    const auto bits = static_cast<std::uint32_t>(static_cast<std::int32_t>(rounded));
    std::memcpy(pcm.data.data() + kBytes * i, &bits, kBytes);
  }
}

template <typename Float>
void write_floats(std::span<const double> values, Pcm& pcm) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<Float>(values[i]);
    std::memcpy(pcm.data.data() + sizeof(Float) * i, &value, sizeof(Float));
  }
}

/// WAV's 8-bit values are unsigned.
void flip_sign_bits(Bytes& data) {
  for (std::byte& byte : data) byte ^= std::byte{0x80};
}

}  // namespace

std::vector<double> values_of(const Pcm& pcm) {
  std::vector<double> values(pcm.data.size() / value_bytes(pcm.encoding));
  switch (pcm.encoding) {
    case PcmEncoding::pcm8: {
      Bytes flipped = pcm.data;
      flip_sign_bits(flipped);
      read_integers<1>(flipped, values);
      break;
    }
    case PcmEncoding::pcm16:
      read_integers<2>(pcm.data, values);
      break;
    case PcmEncoding::pcm24:
      read_integers<3>(pcm.data, values);
      break;
    case PcmEncoding::pcm32:
      read_integers<4>(pcm.data, values);
      break;
    case PcmEncoding::float32:
      read_floats<float>(pcm.data, values);
      break;
    case PcmEncoding::float64:
      read_floats<double>(pcm.data, values);
      break;
  }
  return values;
}

Pcm pcm_of(std::span<const double> values, PcmEncoding encoding, std::uint32_t sample_rate,
           std::uint32_t channels) {
  check_numbers(values);
  Pcm pcm{.encoding = encoding, .sample_rate = sample_rate, .channels = channels, .data = {}, .clipped = 0};
  pcm.data.resize(values.size() * value_bytes(encoding));
  switch (encoding) {
    case PcmEncoding::pcm8:
      write_integers<1>(values, pcm);
      flip_sign_bits(pcm.data);
      break;
    case PcmEncoding::pcm16:
      write_integers<2>(values, pcm);
      break;
    case PcmEncoding::pcm24:
      write_integers<3>(values, pcm);
      break;
    case PcmEncoding::pcm32:
      write_integers<4>(values, pcm);
      break;
    case PcmEncoding::float32:
      write_floats<float>(values, pcm);
      break;
    case PcmEncoding::float64:
      write_floats<double>(values, pcm);
      break;
  }
  return pcm;
}

std::vector<double> mixed_to_mono(std::span<const double> values, std::uint32_t channels) {
  std::vector<double> mono(values.size() / channels);
  for (std::size_t frame = 0; frame < mono.size(); ++frame) {
    double sum = 0;
    for (const double value : values.subspan(frame * channels, channels)) sum += value;
    mono[frame] = sum / channels;
  }
  return mono;
}

}  // namespace shardmill::audio
