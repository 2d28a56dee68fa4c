// AudioInfo: what the headers of a piece of audio say, without decoding it.
#pragma once

#include <cstdint>
#include <string>

namespace shardmill {

struct AudioInfo {
  std::string format;  // container/encoding: "wav/pcm16", "flac/pcm24", "ogg/vorbis", "mp3"
  std::uint32_t sample_rate = 0;
  std::uint32_t channels = 0;
  std::uint64_t frames = 0;  // samples per channel

  double seconds() const { return static_cast<double>(frames) / sample_rate; }
};

}  // namespace shardmill
