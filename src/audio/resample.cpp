#include "audio/resample.hpp"

#include <fmt/format.h>
#include <soxr.h>

#include <algorithm>
#include <string>

#include "base/error.hpp"

namespace shardmill::audio {

namespace {

// The end of the pass band, as a fraction of the lower Nyquist frequency. This is sox's value; libsoxr's own
// value is 2e-4 lower, and noise in the transition band would differ from sox by 10 dB more.
constexpr double kPassBandEnd = 0.911512;

/// When rates are lowered by a ratio like 160 : 441, libsoxr's default weakens the end of the pass band: a
/// tone of 6.5 kHz in 16 kHz is -79 dBFS from sox and would be -97 here. When rates are raised, sox does the
/// same.
unsigned long flags_for(std::uint32_t from_rate, std::uint32_t to_rate) {
  return to_rate < from_rate ? SOXR_ROLLOFF_NONE : SOXR_ROLLOFF_SMALL;
}

constexpr std::size_t kRoomFrames = 8192;

void check(soxr_error_t error) {
  if (error != nullptr) throw Error(fmt::format("cannot be resampled: {}", error));
}

}  // namespace

std::uint64_t resampled_frames(std::uint64_t frames, std::uint32_t from_rate, std::uint32_t to_rate) {
  const std::uint64_t whole = frames / from_rate * to_rate;
  return whole + (2 * (frames % from_rate) * to_rate + from_rate) / (2 * std::uint64_t{from_rate});
}

void Resampler::Deleter::operator()(soxr* resampler) const {
  soxr_delete(resampler);
}

Resampler::Resampler(std::uint64_t frames, std::uint32_t channels, std::uint32_t from_rate,
                     std::uint32_t to_rate)
    : channels_(channels), frames_left_(resampled_frames(frames, from_rate, to_rate)) {
  const soxr_io_spec_t io = soxr_io_spec(SOXR_FLOAT64_I, SOXR_FLOAT64_I);
  soxr_quality_spec_t quality = soxr_quality_spec(SOXR_VHQ, flags_for(from_rate, to_rate));
  quality.passband_end = kPassBandEnd;
  // One thread: many samples are resampled at the same time anyway.
  const soxr_runtime_spec_t runtime = soxr_runtime_spec(1);
  soxr_error_t error = nullptr;
  resampler_.reset(soxr_create(from_rate, to_rate, channels, &error, &io, &quality, &runtime));
  check(error);
}

Resampler::~Resampler() = default;

void Resampler::process(std::vector<double>& values) {
  const std::size_t frames = values.size() / channels_;
  const bool end = frames == 0;
  std::size_t taken = 0;
  std::size_t given = 0;
  for (bool more = true; more;) {
    out_.resize((given + kRoomFrames) * channels_);
    std::size_t used = 0;
    std::size_t got = 0;
    check(soxr_process(resampler_.get(), end ? nullptr : values.data() + taken * channels_, frames - taken,
                       &used, out_.data() + given * channels_, kRoomFrames, &got));
    taken += used;
    given += got;
    more = got > 0 && (got == kRoomFrames || taken < frames || (end && given < frames_left_));
  }
  given = std::min<std::size_t>(given, frames_left_);
  frames_left_ -= given;
  if (taken < frames || (end && frames_left_ > 0)) {
    throw Error(fmt::format("cannot be resampled: libsoxr keeps {} frames back", frames_left_));
  }
  out_.resize(given * channels_);
  values.swap(out_);
}

std::string libsoxr_version() {
  const std::string text = soxr_version();  // "libsoxr-0.1.3"
  return text.substr(text.find('-') + 1);
}

}  // namespace shardmill::audio
