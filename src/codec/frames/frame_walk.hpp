// Reads the frame and block headers of zstd and lz4 files without decoding the blocks: to find the end of a
// frame, and to estimate the size of the plain file.
#pragma once

#include <cstdint>
#include <optional>

#include "base/io/file.hpp"
#include "codec/codec.hpp"

namespace shardmill::codec {

// The magic of a frame, read as a little-endian number.
inline constexpr std::uint32_t kZstdMagicNumber = 0xFD2FB528;
inline constexpr std::uint32_t kLz4MagicNumber = 0x184D2204;

/// True for any of the sixteen numbers of frames that decoders skip.
constexpr bool is_skippable(std::uint64_t magic) {
  return (magic & 0xFFFFFFF0) == 0x184D2A50;
}

struct FrameEnd {
  std::uint64_t end = 0;
  bool has_data = true;  // false for a frame that decoders skip
};

/// The end of the frame at `offset`; nullopt if no frame begins there, or if it does not end at or before
/// `limit`. Throws Error if reading fails.
std::optional<FrameEnd> frame_end(const base::File& file, Codec codec, std::uint64_t offset,
                                  std::uint64_t limit);

/// The number of compressed bytes measured at the beginning of a file, and the estimated number of their
/// plain bytes. {0, 0} if there is no estimate.
struct MeasuredPart {
  std::uint64_t compressed = 0;
  std::uint64_t plain = 0;
};

/// Both stop after some hundred blocks. If the first frame is longer than that and states its size, they
/// assume that it is the only one. They throw Error only if reading fails.
MeasuredPart measure_zstd(const base::File& file);
MeasuredPart measure_lz4(const base::File& file);

}  // namespace shardmill::codec
