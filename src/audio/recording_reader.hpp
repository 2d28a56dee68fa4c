// RecordingReader: cuts segments out of a long recording, which is decoded only once for all of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "audio/pcm/pcm.hpp"
#include "base/io/file.hpp"
#include "model/audio_info.hpp"

namespace shardmill::audio {

/// Decodes no frame twice, even for overlapping ranges, if ranges come in the order of their starts. Memory
/// holds the frames from the start of the last range to the farthest end so far. A range that starts before
/// the last one works as well, but decoding starts again from the beginning. One thread at a time; several
/// readers may be used at the same time.
class RecordingReader {
 public:
  /// Throws Error if the file cannot be opened or is not audio. What only ffmpeg reads is decoded to a
  /// scratch file.
  explicit RecordingReader(const std::string& path);
  explicit RecordingReader(base::File file);
  /// Reads encoded audio in memory; errors call it `name`. Throws Error if it is not audio.
  RecordingReader(Bytes encoded, std::string name);

  /// The information of the headers; without format and frames if they do not give the length.
  const AudioInfo& info() const noexcept { return info_; }

  /// The size of one frame in the result of read().
  std::size_t frame_bytes() const { return window_.frame_bytes(); }

  /// Frames [begin, end); fewer, or none, if the recording ends before. Clipped values are counted in the
  /// first range that needed their frame. Throws Error for damage before `end`.
  Pcm read(std::uint64_t begin, std::uint64_t end);

  /// Why audio that the header promises is missing at the end; empty if all of it is there. Call it after
  /// the last frame was read.
  const std::string& missing_end();

  /// The number of frames decoded for all ranges together; tests use it to check that none is decoded twice.
  std::uint64_t decoded_frames() const noexcept { return decoded_frames_; }

 private:
  void fill(std::uint64_t end);
  void drop(std::uint64_t begin);

  std::string find_missing_end() const;
  std::size_t read_encoded(std::span<std::byte> into, std::uint64_t offset) const;
  void check_pages();

  std::string name_;
  Bytes encoded_;
  base::File file_;  // instead
  PcmDecoder decoder_;
  AudioInfo info_;
  Pcm window_;  // decoded frames that later ranges may need
  std::uint64_t window_begin_ = 0;
  std::uint64_t decoded_frames_ = 0;
  std::optional<std::string> missing_end_;
  std::string damage_;             // of the pages of an Ogg file
  std::uint64_t good_frames_ = 0;  // before it
};

/// A WAV in a scratch file if only ffmpeg reads `file`; else `file` itself. Throws Error.
base::File readable_recording(base::File file);

}  // namespace shardmill::audio
