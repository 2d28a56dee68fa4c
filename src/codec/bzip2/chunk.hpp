// Bzip2Chunk: some bytes of a bzip2 file, and where blocks seem to begin in them.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "base/io/file.hpp"
#include "codec/pool.hpp"

namespace shardmill::codec {

/// Chunks overlap by so many bytes, because a block's magic may begin in one and end in the next.
inline constexpr std::size_t kBzip2ChunkOverlap = 6;

struct Bzip2ChunkBuffer {
  /// Small enough to be in the nearest caches while it is searched.
  std::array<std::byte, (std::size_t{256} << 10) + kBzip2ChunkOverlap> bytes;
};
using Bzip2ChunkPool = Pool<Bzip2ChunkBuffer>;

/// Bits and bytes are counted from the start of the file.
class Bzip2Chunk {
 public:
  /// The bytes of a regular file from `offset` up to `end`, which load() reads. The chunk before has
  /// `overlap` of them, too.
  Bzip2Chunk(const base::File& file, Bzip2ChunkPool& buffers, std::uint64_t offset, std::uint64_t end,
             std::size_t overlap)
      : file_(&file), buffers_(buffers), offset_(offset), promised_end_(end), overlap_(overlap) {}
  /// `bytes` bytes of `buffer`, which were read already.
  Bzip2Chunk(Bzip2ChunkPool::Pointer buffer, std::size_t bytes, std::uint64_t offset, std::size_t overlap)
      : buffers_(*buffer.get_deleter().pool),
        offset_(offset),
        promised_end_(offset + bytes),
        overlap_(overlap),
        buffer_(std::move(buffer)),
        bytes_(bytes) {}

  /// Reads the bytes, if they are not here yet, and looks for blocks. Any thread may call it, several times;
  /// a thread that comes while another is at it waits. Throws Error when the file cannot be read.
  void load();
  /// True when some thread has called load().
  bool is_begun() const noexcept { return is_begun_; }

  std::uint64_t offset() const noexcept { return offset_; }
  std::uint64_t promised_end() const noexcept { return promised_end_; }

  // After load():
  /// Before promised_end() where the file has become shorter.
  std::uint64_t end() const noexcept { return offset_ + bytes_; }
  /// From offset() on.
  std::span<const std::byte> bytes() const noexcept { return std::span(buffer_->bytes).first(bytes_); }
  /// The bits where a block's magic begins that is in this chunk as a whole, and not in the one before.
  std::span<const std::uint64_t> blocks() const noexcept { return blocks_; }

 private:
  void find_blocks();

  const base::File* file_ = nullptr;  // none: the bytes were here from the beginning
  Bzip2ChunkPool& buffers_;
  std::uint64_t offset_;
  std::uint64_t promised_end_;
  std::size_t overlap_;
  Bzip2ChunkPool::Pointer buffer_;
  std::size_t bytes_ = 0;
  std::vector<std::uint64_t> blocks_;
  std::atomic<bool> is_begun_ = false;
  std::once_flag loaded_;
};

}  // namespace shardmill::codec
