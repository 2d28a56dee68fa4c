// The last stage of a bzip2 block. After four equal bytes comes the count of further ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/system/vector_path.hpp"

namespace shardmill::codec {

/// Expands the runs of a block, in any number of steps, and computes the CRC of the result.
class Bzip2RunExpander {
 public:
  explicit Bzip2RunExpander(std::span<const std::byte> runs,
                            base::VectorPath path = base::chosen_vector_path());

  /// Fills `out`. Returns the number of bytes, which is less than out.size() only at the end of the block.
  std::size_t expand(std::span<std::byte> out);
  /// The CRC of all bytes expanded so far.
  std::uint32_t crc() const noexcept { return ~crc_; }

 private:
  std::span<const std::byte> runs_;
  base::VectorPath path_;
  std::size_t position_ = 0;
  std::size_t literal_end_;  // bytes up to here are not counts; then comes a count
  unsigned pending_ = 0;     // how many more times to write the last byte
  std::uint32_t crc_ = 0xffffffff;
};

/// True if a count must follow the last four bytes and is missing. libbz2 rejects such a block.
bool ends_before_a_count(std::span<const std::byte> runs);

}  // namespace shardmill::codec
