#include "audio/quality.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <numbers>
#include <span>
#include <vector>

#include "audio/pcm/pcm.hpp"
#include "base/error.hpp"

namespace shardmill::audio {

namespace {

constexpr double kFullScale16 = 32768;
constexpr double kFullScale24 = 8388608;
constexpr std::size_t kMostValues = 16'384;  // at a time: they fit into the cache, and their sum into 32 bits
constexpr std::size_t kMostBlockFrames = 1'000;  // with 64 channels, the most that 16 bits can count
constexpr std::uint32_t kBlocksPerSecond = 100;

/// Values of 16 bits are measured directly; all others become 24 bits, which is precise enough.
void to_24_bits(std::span<const std::byte> data, PcmEncoding encoding, std::vector<double>& values,
                std::vector<std::int32_t>& integers) {
  read_values(data, encoding, values);
  integers.resize(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double scaled = std::clamp(values[i] * kFullScale24, -kFullScale24, kFullScale24);
    integers[i] = std::isnan(scaled) ? 0 : static_cast<std::int32_t>(scaled);
  }
}

std::span<const std::int16_t> as_16_bits(std::span<const std::byte> data) {
  // The bytes of a Pcm come from an allocation, and frames of 16 bits begin at even places in it.
  return {reinterpret_cast<const std::int16_t*>(data.data()), data.size() / sizeof(std::int16_t)};
}

/// The largest value of the coding, in steps of 16 bits.
std::int32_t highest_of(PcmEncoding encoding, std::string_view format) {
  if (format.ends_with("/ulaw")) return 32'124;
  if (format.ends_with("/alaw")) return 32'256;
  return encoding == PcmEncoding::pcm8 ? 127 * 256 : 32'767;
}

class LevelMeter {
 public:
  LevelMeter(std::uint32_t channels, std::int32_t highest)
      : channels_(channels), highest_(highest), sums_(channels, 0) {}

  /// Takes 10 ms at a time, which have `block` values; only the last part may be shorter.
  template <typename Value>
  void add(std::span<const Value> values, std::size_t block) {
    count_clipped(values);
    add_to_sums(values);
    for (std::span<const Value> rest = values; !rest.empty();) {
      const auto stretch = rest.first(std::min(block, rest.size()));
      rest = rest.subspan(stretch.size());
      // Almost always the first two values differ.
      if (is_silent(stretch)) silent_ += stretch.size();
    }
    is_all_zero_ =
        is_all_zero_ && std::all_of(values.begin(), values.end(), [](Value value) { return value == 0; });
    values_ += values.size();
  }

  AudioQuality result(double full_scale) const {
    const auto share = [&](std::uint64_t part) {
      return in_millionths(static_cast<double>(part) /
                           static_cast<double>(std::max<std::uint64_t>(1, values_)));
    };
    AudioQuality quality{.clipped = share(clipped_),
                         .digital_silence = share(silent_),
                         .all_zero = values_ > 0 && is_all_zero_};
    const double frames = static_cast<double>(values_ / channels_);
    for (const std::int64_t sum : sums_) {
      const double mean = frames == 0 ? 0 : static_cast<double>(sum) / frames / full_scale;
      if (std::abs(mean) > std::abs(quality.dc_offset)) quality.dc_offset = mean;
    }
    quality.dc_offset = in_millionths(quality.dc_offset);
    return quality;
  }

 private:
  static double in_millionths(double value) { return std::round(value * 1e6) / 1e6 + 0.0; }

  template <typename Value>
  bool is_silent(std::span<const Value> stretch) const {
    for (std::size_t i = channels_; i < stretch.size(); ++i) {
      if (stretch[i] != stretch[i - channels_]) return false;
    }
    return true;
  }

  template <typename Value>
  void count_clipped(std::span<const Value> block) {
    const auto high = static_cast<Value>(highest_);
    const auto low = static_cast<Value>(-highest_);
    Value clipped = 0;  // of the same width, so that many are counted at a time
    for (const Value value : block)
      clipped = static_cast<Value>(clipped + static_cast<Value>((value >= high) | (value <= low)));
    using Unsigned = std::make_unsigned_t<Value>;
    clipped_ += static_cast<Unsigned>(clipped);
  }

  template <typename Value>
  void add_to_sums(std::span<const Value> block) {
    using Sum = std::conditional_t<sizeof(Value) == 2, std::int32_t, std::int64_t>;
    for (std::uint32_t channel = 0; channel < channels_; ++channel) {
      Sum sum = 0;
      if (channels_ == 1) {
        for (const Value value : block) sum += value;
      } else {
        for (std::size_t i = channel; i < block.size(); i += channels_) sum += block[i];
      }
      sums_[channel] += sum;
    }
  }

  std::uint32_t channels_;
  std::int32_t highest_;
  std::vector<std::int64_t> sums_;  // by channel
  std::uint64_t values_ = 0;
  std::uint64_t clipped_ = 0;
  std::uint64_t silent_ = 0;
  bool is_all_zero_ = true;
};

}  // namespace

AudioQuality measure_levels(const Pcm& pcm, std::string_view format) {
  const bool is_16_bits = pcm.encoding == PcmEncoding::pcm16;
  const std::int32_t highest = highest_of(pcm.encoding, format);
  LevelMeter meter(pcm.channels, is_16_bits ? highest : highest * 256);
  const std::size_t frames = std::clamp<std::size_t>(pcm.sample_rate / kBlocksPerSecond, 2, kMostBlockFrames);
  const std::size_t block = frames * pcm.channels;
  const std::size_t blocks = std::max<std::size_t>(1, kMostValues / block);
  const std::size_t step = blocks * frames * pcm.frame_bytes();
  std::vector<double> values;
  std::vector<std::int32_t> integers;
  for (std::span<const std::byte> rest(pcm.data); !rest.empty();) {
    const auto values_now = rest.first(std::min(step, rest.size()));
    rest = rest.subspan(values_now.size());
    if (is_16_bits) {
      meter.add(as_16_bits(values_now), block);
    } else {
      to_24_bits(values_now, pcm.encoding, values, integers);
      meter.add(std::span<const std::int32_t>(integers), block);
    }
  }
  return meter.result(is_16_bits ? kFullScale16 : kFullScale24);
}

void measure_band(const Pcm& pcm, AudioQuality& quality) {
  BandEnergy energy;
  const bool is_usual = pcm.sample_rate >= kLeastRateForHighBand && pcm.sample_rate <= kMostRateForHighBand;
  if (!is_usual || pcm.data.empty()) return;
  if (pcm.encoding == PcmEncoding::pcm16) {
    energy = band_energy(as_16_bits(pcm.data), pcm.channels, pcm.sample_rate, 1);
  } else {
    std::vector<double> values;
    std::vector<std::int32_t> integers;
    to_24_bits(pcm.data, pcm.encoding, values, integers);
    energy = band_energy(std::span<const std::int32_t>(integers), pcm.channels, pcm.sample_rate,
                         static_cast<float>(kFullScale16 / kFullScale24));
  }
  quality.above_4khz_db = energy.above_4khz_db();
  quality.narrow_band = energy.is_narrow();
}

namespace {

// Values of a block fit into the cache.
constexpr std::uint64_t kHashedFrames = 8192;
constexpr std::uint64_t kFramesAtOnce = 64 * kHashedFrames;

/// The hashes of blocks of a fixed length, one after the other, are hashed instead of all values.
class SoundHash {
 public:
  explicit SoundHash(const Pcm& form) {
    const std::array<std::uint64_t, 2> numbers{form.sample_rate, form.channels};
    const auto bytes = std::as_bytes(std::span(numbers));
    all_.assign(bytes.begin(), bytes.end());
  }

  /// Takes whole blocks; only the last one may be shorter.
  void add(const Pcm& pcm) {
    const std::size_t block_bytes = kHashedFrames * pcm.frame_bytes();
    for (std::span<const std::byte> rest(pcm.data); !rest.empty();) {
      const auto block = rest.first(std::min(block_bytes, rest.size()));
      rest = rest.subspan(block.size());
      read_values(block, pcm.encoding, values_);
      for (double& value : values_) value += 0.0;  // a float's -0 is 0
      const base::Xxh128 hash = base::xxh3_128(std::as_bytes(std::span<const double>(values_)));
      all_.insert(all_.end(), hash.bytes.begin(), hash.bytes.end());
      is_empty_ = false;
    }
  }

  std::optional<base::Xxh128> digest() const {
    return is_empty_ ? std::nullopt : std::optional(base::xxh3_128(all_));
  }

 private:
  std::vector<std::byte> all_;
  std::vector<double> values_;
  bool is_empty_ = true;
};

}  // namespace

std::optional<base::Xxh128> sound_hash(std::span<const std::byte> audio) {
  try {
    PcmDecoder decoder(audio);
    Pcm pcm = decoder.empty_pcm();
    SoundHash hash(pcm);
    for (;;) {
      pcm.data.clear();
      decoder.read(kFramesAtOnce, pcm);
      if (pcm.data.empty()) return hash.digest();
      hash.add(pcm);
    }
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<base::Xxh128> sound_hash(const Pcm& pcm) {
  SoundHash hash(pcm);
  hash.add(pcm);
  return hash.digest();
}

namespace {

constexpr std::size_t kLanes = 8;
// All places are measured in rounds, each with one place every kRoundFrames frames.
constexpr std::size_t kRounds = 32;
constexpr std::size_t kFramesPerPlace = 128;

// The energy above 4 kHz that 16 bits with dither leave, with a margin. Noise of a microphone is louder.
constexpr double kRounding = 0.25;
constexpr double kNarrow = 1e-6;       // -60 dB
constexpr double kClearlyWide = 3e-5;  // -45 dB; speech that was recorded at 16 kHz reaches it
// In quieter speech, rounding hides the energy above 4 kHz.
constexpr double kLeastSpeech = kRounding / kClearlyWide;

/// A high-pass: frequencies below 4.3 kHz are lowered by 80 dB, those above 5 kHz pass.
class HighPass {
 public:
  explicit HighPass(double rate) {
    constexpr double kStopHz = 4300;
    constexpr double kPassHz = 5000;
    constexpr double kAttenuation = 80;
    constexpr double kBeta = 0.1102 * (kAttenuation - 8.7);
    constexpr double kPi = std::numbers::pi;
    const double width = 2 * kPi * (kPassHz - kStopHz) / rate;
    const auto wanted = static_cast<std::size_t>(std::ceil((kAttenuation - 7.95) / (2.285 * width))) + 1;
    const double cut = (kPassHz + kStopHz) / rate;  // half of it, times two
    const std::size_t length = wanted | 1U;         // odd, so that the middle is a tap
    const double middle = static_cast<double>(length - 1) / 2;
    taps_.assign((length + kLanes - 1) / kLanes * kLanes, 0);
    for (std::size_t i = 0; i < length; ++i) {
      const double t = static_cast<double>(i) - middle;
      const double ideal = (t == 0 ? 1 : 0) - (t == 0 ? cut : std::sin(kPi * cut * t) / (kPi * t));
      const double place = t / (middle + 1);
      const double window = bessel(kBeta * std::sqrt(1 - place * place)) / bessel(kBeta);
      taps_[i] = static_cast<float>(ideal * window);
    }
  }

  std::size_t length() const noexcept { return taps_.size(); }
  const float* taps() const noexcept { return taps_.data(); }

 private:
  /// The modified Bessel function of order 0.
  static double bessel(double x) {
    double sum = 1;
    double term = 1;
    for (int k = 1; k < 40; ++k) {
      term *= (x / (2 * k)) * (x / (2 * k));
      sum += term;
    }
    return sum;
  }

  std::vector<float> taps_;
};

/// A filter for this rate, or one whose edges are a little higher.
const HighPass& filter_for(std::uint32_t rate) {
  static const std::array<std::uint32_t, 8> rates{16'000, 22'050, 24'000, 32'000,
                                                  44'100, 48'000, 64'000, 88'200};
  static const std::array<HighPass, 8> filters{HighPass(16'000), HighPass(22'050), HighPass(24'000),
                                               HighPass(32'000), HighPass(44'100), HighPass(48'000),
                                               HighPass(64'000), HighPass(88'200)};
  const auto above = std::upper_bound(rates.begin(), rates.end(), rate);
  return filters[static_cast<std::size_t>(above - rates.begin()) - 1];
}

struct Place {
  float high = 0;    // one value of the high-pass
  float square = 0;  // sum over all values that it comes from
  float sum = 0;     // the same
};

/// In a fixed order, so that the result is the same on every machine.
template <typename Value>
Place look(const Value* at, std::size_t distance, const HighPass& filter, float scale) {
  std::array<float, kLanes> high{};
  std::array<float, kLanes> square{};
  std::array<float, kLanes> sum{};
  const float* const taps = filter.taps();
  for (std::size_t i = 0; i < filter.length(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const float value = static_cast<float>(at[(i + lane) * distance]) * scale;
      high[lane] += taps[i + lane] * value;
      square[lane] += value * value;
      sum[lane] += value;
    }
  }
  Place place;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    place.high += high[lane];
    place.square += square[lane];
    place.sum += sum[lane];
  }
  return place;
}

/// 0 16 8 24 4 ...: each round lies between those before it.
std::size_t reversed(std::size_t round) {
  std::size_t result = 0;
  for (std::size_t bit = 1; bit < kRounds; bit <<= 1) result = (result << 1) | ((round & bit) != 0 ? 1 : 0);
  return result;
}

}  // namespace

std::optional<double> BandEnergy::above_4khz_db() const {
  if (low <= 0 || high <= 0) return std::nullopt;
  return std::round(100 * std::log10(high / low)) / 10 + 0.0;
}

bool BandEnergy::is_narrow() const {
  return low >= kLeastSpeech && high <= std::max(kRounding, low * kNarrow);
}

template <typename Value>
BandEnergy band_energy(std::span<const Value> values, std::uint32_t channels, std::uint32_t sample_rate,
                       float scale) {
  const HighPass& filter = filter_for(sample_rate);
  const std::size_t frames = values.size() / channels;
  BandEnergy energy;
  if (frames < filter.length()) return energy;
  double high = 0;
  double square = 0;
  double sum = 0;
  double places = 0;
  for (std::size_t round = 0; round < kRounds; ++round) {
    for (std::size_t frame = reversed(round) * kFramesPerPlace; frame + filter.length() <= frames;
         frame += kRounds * kFramesPerPlace) {
      for (std::uint32_t channel = 0; channel < channels; ++channel) {
        const Place place = look(values.data() + frame * channels + channel, channels, filter, scale);
        high += static_cast<double>(place.high) * static_cast<double>(place.high);
        square += static_cast<double>(place.square);
        sum += static_cast<double>(place.sum);
        places += 1;
      }
    }
    if (places == 0) continue;
    const double all = places * static_cast<double>(filter.length());
    energy.high = high / places;
    energy.low = std::max(0.0, square / all - (sum / all) * (sum / all) - energy.high);
    if (energy.high > energy.low * kClearlyWide && energy.high > 4 * kRounding) break;
  }
  return energy;
}

template BandEnergy band_energy(std::span<const std::int16_t>, std::uint32_t, std::uint32_t, float);
template BandEnergy band_energy(std::span<const std::int32_t>, std::uint32_t, std::uint32_t, float);

}  // namespace shardmill::audio
