// The blocks of an xz file, which can be decoded independently of each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/io/file.hpp"

namespace shardmill::codec {

/// What the index at the end of the file says of a block.
struct XzBlock {
  std::uint64_t offset = 0;  // of its header
  std::uint64_t bytes = 0;   // with padding and check
  std::uint64_t unpadded_bytes = 0;
  std::uint64_t plain_bytes = 0;
  std::uint64_t stream = 0;  // which stream of the file it belongs to, from 1
  int check = 0;             // the kind of check that this stream uses
};

struct XzBlocks {
  std::vector<XzBlock> blocks;
  std::uint64_t streams = 0;  // also those without blocks
};

/// Reads the indexes of all streams of a file. Empty when they cannot be read, for whatever reason (decoding
/// from front to back will tell it), or list more than a million blocks. Throws Error only when reading
/// fails.
XzBlocks list_xz_blocks(const base::File& file);

/// The plain bytes of a block.
struct XzPlain {
  std::unique_ptr<std::byte[]> bytes;
  std::size_t size = 0;  // how many were decoded
  std::string problem;   // why it is not all of them
  std::string advice;

  std::span<const std::byte> span() const { return {bytes.get(), size}; }
};

/// `compressed` holds the bytes of `block`. Any thread.
XzPlain decode_xz_block(const XzBlock& block, std::span<const std::byte> compressed);

}  // namespace shardmill::codec
