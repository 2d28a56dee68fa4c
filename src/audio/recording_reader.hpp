// RecordingReader: cuts segments out of a long recording, which is decoded only once for all of them.
#pragma once

#include <cstdint>
#include <string>

#include "audio/pcm/decoder.hpp"
#include "audio/pcm/pcm.hpp"
#include "base/io/file.hpp"
#include "model/audio_info.hpp"

namespace shardmill::audio {

/// As long as ranges come in the order of their beginnings, no frame is decoded twice, even if they overlap.
/// Memory holds the frames from the beginning of the last range to the farthest end so far. A range that
/// begins before the last one works as well, but decoding starts again from the beginning. One thread at a
/// time; several readers may be used at the same time.
class RecordingReader {
 public:
  /// Throws Error when the file cannot be opened or is not audio.
  explicit RecordingReader(const std::string& path);
  explicit RecordingReader(base::File file);
  /// Reads encoded audio in memory; errors call it `name`. Throws Error when it is not audio.
  RecordingReader(Bytes encoded, std::string name);

  /// What the headers say; without format and frames when they do not give the length.
  const AudioInfo& info() const noexcept { return info_; }

  /// The size of one frame in what read() returns.
  std::size_t frame_bytes() const { return window_.frame_bytes(); }

  /// Frames [begin, end); fewer, or none, where the recording ends before. Clipped values are counted in the
  /// first range that needed their frame. Throws Error for damage before `end`.
  Pcm read(std::uint64_t begin, std::uint64_t end);

  /// How many frames were decoded for all ranges together, which shows that nothing is decoded twice.
  std::uint64_t decoded_frames() const noexcept { return decoded_frames_; }

 private:
  void fill(std::uint64_t end);
  void drop(std::uint64_t begin);

  std::string name_;
  Bytes encoded_;
  PcmDecoder decoder_;
  AudioInfo info_;
  Pcm window_;  // decoded frames that may still be asked for
  std::uint64_t window_begin_ = 0;
  std::uint64_t decoded_frames_ = 0;
};

}  // namespace shardmill::audio
