// FLAC below the level of files: find_flac_frames() and its like read the headers of frames and find damaged
// ones without decoding them; FlacStream decodes one FLAC in memory with libFLAC, frame by frame.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "audio/byte_view.hpp"
#include "audio/sndfile.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::audio {

/// One decoded FLAC frame.
struct FlacBlock {
  std::span<const std::int32_t* const> channels;
  std::uint32_t frames = 0;  // in each channel
  std::uint32_t bits = 0;    // in each value
};

/// One thread at a time; several streams may be used at the same time.
class FlacStream {
 public:
  /// Returns false to stop.
  using Sink = std::function<bool(const FlacBlock&)>;
  enum class Md5 { compared, left_to_the_caller };
  using Md5Digest = std::array<std::byte, 16>;

  /// `flac` starts with fLaC or with a tag before it, and must outlive the stream.
  FlacStream(std::span<const std::byte> flac, Md5 md5, Sink sink = {});
  ~FlacStream();

  /// Decodes the next frame; false if nothing more can be decoded.
  bool next();
  /// Call this once, after next() returned false.
  DecodedAudio finish();
  /// The MD5 of all values according to the header; nullopt if the header has none.
  const std::optional<Md5Digest>& md5() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The damage of a FLAC whose values have another MD5 than its header.
inline constexpr const char* kWrongMd5 = "the MD5 of its values is not the one in its header";

/// Appends the values of all channels, frame by frame. Each takes `value_bytes` little-endian bytes, and
/// `silence` is added to it.
void append_interleaved(const FlacBlock& block, std::size_t value_bytes, std::uint32_t silence,
                        Bytes& values);

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
