// Blocks: compressed bytes whose plain size is known beforehand, as other file formats hold them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace shardmill::codec {

enum class BlockForm {
  snappy,  // without the frames of .sz files
  gzip,    // one or more members
  zstd,    // one or more frames
  lz4      // without the frames of .lz4 files
};

/// Fills `plain` with the plain bytes of `packed`. Throws Error, without a place, for damage and if the block
/// holds more or fewer bytes than that. Thread-safe.
void unpack_block(BlockForm form, std::span<const std::byte> packed, std::span<std::byte> plain);

/// The most plain bytes that a block of `packed_bytes` bytes can hold, for not believing a size that cannot
/// be right.
std::uint64_t most_plain_bytes(BlockForm form, std::uint64_t packed_bytes);

/// The CRC-32 of gzip, which other formats use, too.
std::uint32_t block_crc(std::span<const std::byte> bytes);

}  // namespace shardmill::codec
