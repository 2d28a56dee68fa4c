// Reads the frame and block headers of zstd and lz4 files for estimates; decodes nothing.
#pragma once

#include <cstdint>

#include "base/io/file.hpp"

namespace shardmill::codec {

/// How many compressed bytes at the beginning of a file were measured, and about how many plain bytes they
/// hold. {0, 0} when nothing could be told.
struct MeasuredPart {
  std::uint64_t compressed = 0;
  std::uint64_t plain = 0;
};

/// Both stop after some hundred blocks. If the first frame is longer than that and states its size, they
/// assume that it is the only one. They throw Error only when reading fails.
MeasuredPart measure_zstd(const base::File& file);
MeasuredPart measure_lz4(const base::File& file);

}  // namespace shardmill::codec
