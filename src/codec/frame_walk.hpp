// A walk over the frame and block headers of zstd and lz4 files, for estimates: nothing is decoded.
#pragma once

#include <cstdint>

#include "base/io/file.hpp"

namespace shardmill::codec {

/// Compressed bytes at the beginning of a file and about how many plain bytes they stand for. {0, 0} when
/// nothing could be told.
struct MeasuredPart {
  std::uint64_t compressed = 0;
  std::uint64_t plain = 0;
};

/// Both stop after some hundred blocks; where the first frame is longer than that and states its content,
/// they take it for the only one. Throw Error only when reading fails.
MeasuredPart measure_zstd(const base::File& file);
MeasuredPart measure_lz4(const base::File& file);

}  // namespace shardmill::codec
