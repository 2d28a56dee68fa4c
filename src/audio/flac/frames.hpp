// The frames of a FLAC: reads their headers, and finds damaged frames without decoding them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "audio/byte_view.hpp"

namespace shardmill::audio {

struct FlacStreamInfo {
  std::uint32_t max_block_frames = 0;
  std::uint32_t least_frame_bytes = 0;  // 0 when not known
  std::uint32_t sample_rate = 0;
  std::uint32_t channels = 0;
  std::uint32_t bits = 0;
  std::uint64_t total_frames = 0;  // 0 when not known
};

/// `body`: the STREAMINFO block without its header.
FlacStreamInfo read_flac_stream_info(ByteView body);

/// The place of the values of a frame in the stream.
struct FlacFrameRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// The frame at `at`; nullopt if there is no header with a right CRC that fits the stream.
std::optional<FlacFrameRange> flac_frame_at(ByteView audio, std::size_t at, const FlacStreamInfo& stream);

/// Finds the first damaged frame, by its CRC and by the header of the next frame. Returns its first byte, or
/// nullopt if all frames are good. `first`: the start of the first frame. `has_tail`: other bytes may follow
/// the last frame, whose end is then unknown.
std::optional<std::size_t> find_damaged_frame(ByteView audio, std::size_t first, const FlacStreamInfo& stream,
                                              bool has_tail);

}  // namespace shardmill::audio
