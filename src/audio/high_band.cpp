#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "audio/quality.hpp"

namespace shardmill::audio {

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
