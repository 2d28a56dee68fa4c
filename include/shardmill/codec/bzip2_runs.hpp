// The last stage of a bzip2 block: four equal bytes are followed by a count of how many more there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace shardmill::codec {

/// Unfolds the runs of a block, in as many steps as the caller likes, and computes the CRC on the way.
class Bzip2RunExpander {
 public:
  explicit Bzip2RunExpander(std::span<const std::byte> runs) : runs_(runs) {}

  /// Fills `out` from the start; returns the number of bytes, less than out.size() only at the end of the
  /// block.
  std::size_t expand(std::span<std::byte> out);
  /// Of all bytes expanded so far.
  std::uint32_t crc() const noexcept { return ~crc_; }

 private:
  std::span<const std::byte> runs_;
  std::size_t position_ = 0;
  unsigned repeats_ = 0;  // equal bytes seen in a row, 4 = the next byte is a count
  unsigned pending_ = 0;  // bytes of the current run still to be written
  std::byte last_{};
  std::uint32_t crc_ = 0xffffffff;
};

}  // namespace shardmill::codec
