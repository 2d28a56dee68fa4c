// Resampler: changes the sample rate with libsoxr.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct soxr;  // the state of libsoxr

namespace shardmill::audio {

/// The number of frames after resampling, rounded to the nearest, like sox.
std::uint64_t resampled_frames(std::uint64_t frames, std::uint32_t from_rate, std::uint32_t to_rate);

/// Has the quality of `sox rate -v`: band 95% wide, linear phase, double precision. Audio passes through
/// block by block; the size of the blocks does not change the result. One thread at a time; several
/// resamplers may be used at the same time.
class Resampler {
 public:
  /// For `frames` frames in all, with interleaved channels. Throws Error, which names no file, if libsoxr
  /// fails.
  Resampler(std::uint64_t frames, std::uint32_t channels, std::uint32_t from_rate, std::uint32_t to_rate);
  ~Resampler();

  /// Replaces the next values by the resampled ones. Pass an empty block at the end of the audio.
  void process(std::vector<double>& values);

 private:
  struct Deleter {
    void operator()(soxr* resampler) const;
  };

  std::unique_ptr<soxr, Deleter> resampler_;
  std::uint32_t channels_;
  std::uint64_t frames_left_;  // that are still to come out
  std::vector<double> out_;
};

/// The version of libsoxr.
std::string libsoxr_version();

}  // namespace shardmill::audio
