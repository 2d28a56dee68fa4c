// RecordingReader: pieces cut out of a long recording, which is decoded once for all of them.
#pragma once

#include <cstdint>
#include <string>

#include "audio/pcm.hpp"
#include "audio/pcm_decoder.hpp"
#include "base/io/file.hpp"
#include "model/audio_info.hpp"

namespace shardmill::audio {

/// As long as ranges come in the order in which they begin, no frame is decoded twice, however they overlap,
/// and no more is held in memory than from the beginning of the last range to the farthest end so far. A
/// range that begins before the last one is cut as well, but for it decoding begins anew. One thread at a
/// time; many of them at once.
class RecordingReader {
 public:
  /// Throws Error when the file cannot be opened or is no audio.
  explicit RecordingReader(const std::string& path);
  explicit RecordingReader(base::File file);
  /// Encoded audio in memory; `name` is what errors call it. Throws Error when it is no audio.
  RecordingReader(Bytes encoded, std::string name);

  /// What its headers say; without a format and frames where they do not say how long it is.
  const AudioInfo& info() const noexcept { return info_; }

  /// Of what read() gives.
  std::size_t frame_bytes() const { return window_.frame_bytes(); }

  /// Frames [begin, end); fewer, or none, where the recording ends before. What was clipped in decoding is
  /// counted in the range that it was first decoded for. Throws Error for damage before `end`.
  Pcm read(std::uint64_t begin, std::uint64_t end);

  /// For all ranges together: to show that nothing is decoded twice.
  std::uint64_t decoded_frames() const noexcept { return decoded_frames_; }

 private:
  void fill(std::uint64_t end);
  void drop(std::uint64_t begin);

  std::string name_;
  Bytes encoded_;
  PcmDecoder decoder_;
  AudioInfo info_;
  Pcm window_;  // what was decoded and may still be asked for
  std::uint64_t window_begin_ = 0;
  std::uint64_t decoded_frames_ = 0;
};

}  // namespace shardmill::audio
