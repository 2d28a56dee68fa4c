// The frames of a FLAC: their headers, and whether each is as it was written, without decoding them.
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

/// Where in the stream the values of a frame begin and end.
struct FlacFrameRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// nullopt when no header that fits the stream, with a right CRC, lies at `at`.
std::optional<FlacFrameRange> flac_frame_at(ByteView audio, std::size_t at, const FlacStreamInfo& stream);

/// Finds the first frame that is not as it was written: its CRC and the header of the next frame tell.
/// Returns its first byte, or nullopt where all frames are whole. `first`: where the first frame begins.
/// `has_tail`: other bytes may follow the last frame, whose end is not known then.
std::optional<std::size_t> find_damaged_frame(ByteView audio, std::size_t first, const FlacStreamInfo& stream,
                                              bool has_tail);

}  // namespace shardmill::audio
