// GzipSlices: a file cut into slices of one size, each followed by the beginning of the next one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "codec/input.hpp"
#include "codec/pool.hpp"

namespace shardmill::codec {

/// The sizes with which a file is cut. Only tests use smaller ones.
struct GzipSizes {
  static constexpr std::size_t kSliceBytes = std::size_t{1} << 20;
  static constexpr std::size_t kOverlapBytes = std::size_t{128} << 10;
  static constexpr std::size_t kPlainBytes = std::size_t{4} << 20;

  std::size_t slice_bytes = kSliceBytes;
  /// The largest distance from the end of the slice to the block that ends the piece. At least 1 KiB.
  std::size_t overlap_bytes = kOverlapBytes;
  /// The most plain bytes that a slice gives at a time. At least 1 KiB.
  std::size_t plain_bytes = kPlainBytes;
};

class GzipSlice {
 public:
  struct Buffer {
    std::array<std::byte, GzipSizes::kSliceBytes + GzipSizes::kOverlapBytes> bytes;
  };
  using BufferPool = Pool<Buffer>;

  std::uint64_t index = 0;
  std::uint64_t offset = 0;
  std::size_t own_bytes = 0;  // without the bytes of the next slice
  bool last = false;

  /// Valid after load(), until drop().
  std::span<const std::byte> bytes() const noexcept { return std::span(buffer_->bytes).first(held_bytes_); }

  /// Reads the slice, unless that is done. Throws Error if reading fails.
  void load();
  void drop() noexcept { buffer_.reset(); }

 private:
  friend class GzipSlices;
  const base::File* file_ = nullptr;
  std::shared_ptr<BufferPool> buffers_;
  BufferPool::Pointer buffer_;
  std::size_t held_bytes_ = 0;
};

/// One thread at a time.
class GzipSlices {
 public:
  GzipSlices(Input input, std::uint64_t first_index, const GzipSizes& sizes);

  /// The next slice; null at the end of the file. A regular file is not read before GzipSlice::load().
  std::unique_ptr<GzipSlice> next();

 private:
  std::unique_ptr<GzipSlice> next_of_pipe();

  Input input_;
  const GzipSizes sizes_;
  std::uint64_t next_index_;
  std::uint64_t file_bytes_ = 0;
  std::vector<std::byte> ahead_;  // of a pipe
  bool all_read_ = false;
  std::shared_ptr<GzipSlice::BufferPool> buffers_ = GzipSlice::BufferPool::common();
};

}  // namespace shardmill::codec
