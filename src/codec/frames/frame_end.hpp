// frame_end: where a frame of a zstd or lz4 file ends, told from its headers without decoding it.
#pragma once

#include <cstdint>
#include <optional>

#include "base/io/file.hpp"
#include "codec/codec.hpp"

namespace shardmill::codec {

struct FrameEnd {
  std::uint64_t end = 0;
  bool has_data = true;  // it is not one to be skipped
};

/// The end of the frame at `offset`; nullopt when none begins there, or when it does not end at or before
/// `limit`. Throws Error when reading fails.
std::optional<FrameEnd> frame_end(const base::File& file, Codec codec, std::uint64_t offset,
                                  std::uint64_t limit);

}  // namespace shardmill::codec
