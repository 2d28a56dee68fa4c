// Resampling, by libsoxr.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct soxr;  // libsoxr's

namespace shardmill::audio {

/// How many frames there are after resampling: the nearest number, as sox has it.
std::uint64_t resampled_frames(std::uint64_t frames, std::uint32_t from_rate, std::uint32_t to_rate);

/// The quality of `sox rate -v`: band 95% wide, linear phase, double precision. Audio goes through it block
/// by block; how it is cut into blocks makes no difference. One thread at a time; many of them at once.
class Resampler {
 public:
  /// Of `frames` in all, with `channels` interleaved. Throws Error, without a place, where libsoxr cannot.
  Resampler(std::uint64_t frames, std::uint32_t channels, std::uint32_t from_rate, std::uint32_t to_rate);
  ~Resampler();

  /// Replaces the next values by what comes out for them; an empty block is the end of all.
  void process(std::vector<double>& values);

 private:
  struct Deleter {
    void operator()(soxr* resampler) const;
  };

  std::unique_ptr<soxr, Deleter> resampler_;
  std::uint32_t channels_;
  std::uint64_t frames_left_;  // to come out
  std::vector<double> out_;
};

/// The version of the library that is used.
std::string libsoxr_version();

}  // namespace shardmill::audio
