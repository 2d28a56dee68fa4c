#include "audio/decoded_length.hpp"

#include <algorithm>

namespace shardmill::audio {

namespace {

/// How many frames fewer a decoder may give. An MPEG decoder may leave out the first frames, which depend on
/// frames before them, and its own delay. An Opus decoder leaves out at most 80 ms.
std::uint64_t most_padding_frames(const AudioInfo& info) {
  constexpr std::uint64_t kMpegFrames = 5;
  if (info.format.starts_with("mp")) return kMpegFrames * (info.sample_rate >= 32'000 ? 1152 : 576);
  return info.sample_rate / 10;
}

}  // namespace

bool is_lossy(const AudioInfo& info) {
  return info.format.starts_with("ogg/") || info.format.starts_with("mp");
}

bool is_whole(const AudioInfo& info, std::uint64_t decoded_frames) {
  const auto [fewer, more] = std::minmax(info.frames, decoded_frames);
  return more - fewer <= (is_lossy(info) ? most_padding_frames(info) : 0);
}

}  // namespace shardmill::audio
