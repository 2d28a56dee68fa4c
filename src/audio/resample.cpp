#include "shardmill/audio/resample.hpp"

#include <fmt/format.h>
#include <soxr.h>

#include <memory>
#include <string>

#include "shardmill/base/error.hpp"

namespace shardmill::audio {

namespace {

// Where the pass band ends, of the lower Nyquist frequency: as sox has it, and 2e-4 above libsoxr's own
// choice. Noise in the band of transition would differ by 10 dB more otherwise.
constexpr double kPassBandEnd = 0.911512;

struct Deleter {
  void operator()(soxr* resampler) const { soxr_delete(resampler); }
};
using Resampler = std::unique_ptr<soxr, Deleter>;

void check(soxr_error_t error) {
  if (error != nullptr) throw Error(fmt::format("cannot be resampled: {}", error));
}

Resampler make_resampler(std::uint32_t channels, std::uint32_t from_rate, std::uint32_t to_rate) {
  const soxr_io_spec_t io = soxr_io_spec(SOXR_FLOAT64_I, SOXR_FLOAT64_I);
  soxr_quality_spec_t quality = soxr_quality_spec(SOXR_VHQ, 0);
  quality.passband_end = kPassBandEnd;
  const soxr_runtime_spec_t runtime = soxr_runtime_spec(1);  // many samples at once need no more threads
  soxr_error_t error = nullptr;
  Resampler resampler(soxr_create(from_rate, to_rate, channels, &error, &io, &quality, &runtime));
  check(error);
  return resampler;
}

}  // namespace

std::uint64_t resampled_frames(std::uint64_t frames, std::uint32_t from_rate, std::uint32_t to_rate) {
  const std::uint64_t whole = frames / from_rate * to_rate;
  return whole + (2 * (frames % from_rate) * to_rate + from_rate) / (2 * std::uint64_t{from_rate});
}

std::vector<double> resample(std::span<const double> values, std::uint32_t channels, std::uint32_t from_rate,
                             std::uint32_t to_rate) {
  const Resampler resampler = make_resampler(channels, from_rate, to_rate);
  const std::uint64_t frames = values.size() / channels;
  const std::uint64_t wanted = resampled_frames(frames, from_rate, to_rate);
  std::vector<double> out(wanted * channels);
  std::size_t done = 0;
  check(soxr_process(resampler.get(), values.data(), frames, nullptr, out.data(), wanted, &done));
  // No more input: what is still inside comes out.
  std::size_t rest = 1;
  while (done < wanted && rest > 0) {
    check(soxr_process(resampler.get(), nullptr, 0, nullptr, out.data() + done * channels, wanted - done,
                       &rest));
    done += rest;
  }
  if (done != wanted) {
    throw Error(fmt::format("cannot be resampled: {} of {} frames came out", done, wanted));
  }
  return out;
}

std::string libsoxr_version() {
  const std::string text = soxr_version();  // "libsoxr-0.1.3"
  return text.substr(text.find('-') + 1);
}

}  // namespace shardmill::audio
