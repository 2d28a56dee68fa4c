// The first stage of the bzip2 block decoder: turns bits into move-to-front positions. Runs of zeros are
// written out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/system/vector_path.hpp"
#include "codec/bzip2/bits.hpp"
#include "codec/bzip2/block.hpp"
#include "codec/bzip2/block_header.hpp"

namespace shardmill::codec {

/// One byte for each position; zero if the front symbol repeats. Bytes after `count` are zero.
struct Bzip2Positions {
  std::array<std::uint8_t, kBzip2MaxBlockBytes + 1> bytes{};
  std::size_t count = 0;
};

/// The symbols of a block, and the target of their positions.
struct Bzip2SymbolTask {
  BitReader& bits;  // moves to the end of the block
  const Bzip2BlockHeader& header;
  Bzip2Positions& positions;
};

/// Reads the positions and the end-of-block symbol. Returns the problem, or an empty text. Bits after the end
/// are zero.
std::string_view read_positions(base::VectorPath path, const Bzip2SymbolTask& task);

/// Does the same for two blocks at once, in two thirds of the time: while a symbol waits for the one before
/// it, the other block continues.
std::array<std::string_view, 2> read_positions(base::VectorPath path, const Bzip2SymbolTask& first,
                                               const Bzip2SymbolTask& second);

}  // namespace shardmill::codec
