// LoaderTrial: the audio that one loader worker delivers in Python, measured by running one.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ranks/shards.hpp"

namespace shardmill::doctor {

/// One reader on the shards of one codec.
struct LoaderTrial {
  std::string reader;  // "tarfile and torchaudio"
  std::string codec;   // of the shards: "none", "zstd"
  std::uint64_t samples = 0;
  double audio_seconds = 0;
  double seconds = 0;
  std::string problem{};  // why the reader cannot read these shards; empty if it can

  bool is_good() const noexcept { return problem.empty() && seconds > 0 && audio_seconds > 0; }
  /// Seconds of audio per second; 0 unless is_good().
  double speed() const noexcept { return is_good() ? audio_seconds / seconds : 0; }
};

struct LoaderSurvey {
  std::vector<LoaderTrial> trials;  // the readers that WeNet and others use come first
  std::string problem{};            // why nothing was measured
};

/// Runs each reader that `python` has on shards of each codec for about `seconds`: Python's tarfile with
/// torchaudio or soundfile, and shardmill.torch on the dataset `folder`, which may be empty. The files are
/// read beforehand, so the disk does not count.
LoaderSurvey survey_loaders(const std::string& python, const std::vector<ranks::RankShard>& shards,
                            const std::string& folder, double seconds, std::chrono::milliseconds limit);

/// Reads the answer of our script; other lines around the script's line are ignored.
LoaderSurvey read_loaders(std::string_view output);

}  // namespace shardmill::doctor
