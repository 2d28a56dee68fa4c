// Bzip2Cutter: cuts a bzip2 file wherever a block seems to begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "codec/bzip2/chunk.hpp"
#include "codec/input.hpp"

namespace shardmill::codec {

/// The largest block that libbz2 accepts: 900 050 symbols of 20 bits, with their tables and selectors.
inline constexpr std::size_t kBzip2MaxPackedBytes = std::size_t{5} << 19;

/// The part of a file from one place where a block seems to begin to the next. Bits and bytes are counted
/// from the start of the file.
class Bzip2Segment {
 public:
  // These bytes may follow the last block and still belong to it: the end of the stream with up to 87 bits,
  // and the 32 bits of the next header.
  static constexpr std::size_t kOverlapBytes = 16;

  std::uint64_t first_byte = 0;   // where it begins in the file
  std::uint64_t whole_bytes = 0;  // its bytes that do not belong to the next segment
  std::optional<std::uint64_t>
      block_bit;              // where the block seems to begin; none in the first segment and in garbage
  std::uint64_t end_bit = 0;  // where the next segment begins
  bool last = false;          // the file ends at end_bit

  /// Up to end_bit, and kOverlapBytes more if the file has them. The first thread that asks puts them
  /// together.
  std::span<const std::byte> bytes() const;
  std::size_t size() const noexcept { return size_; }

  /// The same place, counted from the first bit of bytes().
  std::uint64_t local(std::uint64_t bit) const noexcept { return bit - first_byte * 8; }
  /// Where the previous segment ended: at a block's first bit, or at a whole byte.
  std::uint64_t begin_bit() const noexcept { return block_bit.value_or(first_byte * 8); }

 private:
  friend class Bzip2Cutter;

  std::size_t size_ = 0;
  mutable std::once_flag joined_;
  mutable std::vector<std::shared_ptr<const Bzip2Chunk>>
      chunks_;  // that have its bytes, until they are joined
  mutable std::vector<std::byte> bytes_;
  std::weak_ptr<const Bzip2Segment> next_;
};

/// Thread-safe.
class Bzip2Cutter {
 public:
  /// Begins with the segment at `begin_bit`; `begins_block` says whether a block seems to begin there.
  explicit Bzip2Cutter(Input input, std::uint64_t begin_bit = 0, bool begins_block = false);

  /// The next segment in the order of the file; null at the end of the file.
  std::shared_ptr<const Bzip2Segment> next();
  /// The segment that follows `segment`, without taking it away from next(); null after the last one.
  std::shared_ptr<const Bzip2Segment> after(const Bzip2Segment& segment);

  /// Reads and searches what comes after the newest segment, so that next() need not. Several threads may do
  /// this at a time, each a part. Throws Error when the file cannot be read; next() will say so as well.
  void load_ahead();

 private:
  struct End {
    std::uint64_t bit;
    bool is_block;  // a block seems to begin there
  };
  std::shared_ptr<const Bzip2Segment> cut();
  End find_end();
  const Bzip2Chunk* chunk(std::size_t index);
  bool open_chunk();

  std::mutex mutex_;
  Input input_;
  const bool is_regular_;      // it can be read anywhere
  std::uint64_t file_end_;     // where the input ends; the largest number until that is known
  std::uint64_t next_offset_;  // where the newest chunk ends
  const std::shared_ptr<Bzip2ChunkPool> buffers_ = Bzip2ChunkPool::make();
  std::deque<std::shared_ptr<Bzip2Chunk>> chunks_;  // from that with begin_bit_ on

  std::uint64_t begin_bit_ = 0;  // where the next segment begins
  bool begins_block_ = false;    // a block seems to begin there
  std::shared_ptr<Bzip2Segment> newest_;
  /// Segments that after() cut and next() has not returned yet.
  std::deque<std::shared_ptr<const Bzip2Segment>> ahead_;
};

}  // namespace shardmill::codec
