// The last stage of a bzip2 block. Four equal bytes are followed by a count of how many more there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/system/vector_path.hpp"

namespace shardmill::codec {

/// Expands the runs of a block, in as many steps as the caller likes, and computes the CRC of the result.
class Bzip2RunExpander {
 public:
  explicit Bzip2RunExpander(std::span<const std::byte> runs,
                            base::VectorPath path = base::chosen_vector_path());

  /// Fills `out` from its start. Returns the number of bytes, which is less than out.size() only at the end
  /// of the block.
  std::size_t expand(std::span<std::byte> out);
  /// The CRC of all bytes expanded so far.
  std::uint32_t crc() const noexcept { return ~crc_; }

 private:
  std::span<const std::byte> runs_;
  base::VectorPath path_;
  std::size_t position_ = 0;
  std::size_t literal_end_;  // bytes up to here are no counts; then comes a count
  unsigned pending_ = 0;     // how often the last byte must still be written
  std::uint32_t crc_ = 0xffffffff;
};

/// True when a count must follow the last four bytes and is missing. libbz2 rejects such a block.
bool ends_before_a_count(std::span<const std::byte> runs);

}  // namespace shardmill::codec
