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

/// The facts about a block in the index at the end of the file.
struct XzBlock {
  std::uint64_t offset = 0;  // of its header
  std::uint64_t bytes = 0;   // with padding and check
  std::uint64_t unpadded_bytes = 0;
  std::uint64_t plain_bytes = 0;
  std::uint64_t stream = 0;  // the number of its stream in the file, from 1
  int check = 0;             // the kind of check that this stream uses
};

struct XzBlocks {
  std::vector<XzBlock> blocks;
  std::uint64_t streams = 0;  // also those without blocks
};

/// Reads the indexes of all streams of a file. Returns an empty list if they are damaged (decoding from front
/// to back reports that), or list more than a million blocks. Throws Error only if reading fails.
XzBlocks list_xz_blocks(const base::File& file);

/// The plain bytes of a block.
struct XzPlain {
  std::unique_ptr<std::byte[]> bytes;
  std::size_t size = 0;  // of the bytes that were decoded
  std::string problem;   // why some are missing
  std::string advice;

  std::span<const std::byte> span() const { return {bytes.get(), size}; }
};

/// Decodes `compressed`, the bytes of `block`. Thread-safe.
XzPlain decode_xz_block(const XzBlock& block, std::span<const std::byte> compressed);

}  // namespace shardmill::codec
