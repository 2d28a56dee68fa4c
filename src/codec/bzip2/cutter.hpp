// Bzip2Cutter: cuts a bzip2 file at every apparent start of a block, and reads the file in Bzip2Chunks.
// Bzip2Stream: knows the part that must come next (header, block or end of a stream), and checks the
// checksums of streams.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/io/binary_fields.hpp"
#include "base/io/file.hpp"
#include "codec/input.hpp"
#include "codec/pool.hpp"

namespace shardmill::codec {

/// The overlap of chunks, because a block's magic may begin in one chunk and end in the next.
inline constexpr std::size_t kBzip2ChunkOverlap = 6;

struct Bzip2ChunkBuffer {
  /// Small enough to be in the nearest caches while it is searched.
  std::array<std::byte, (std::size_t{256} << 10) + kBzip2ChunkOverlap> bytes;
};
using Bzip2ChunkPool = Pool<Bzip2ChunkBuffer>;

/// Some bytes of a bzip2 file, and the apparent starts of blocks in them. Bits and bytes are counted from the
/// start of the file.
class Bzip2Chunk {
 public:
  /// The bytes of a regular file from `offset` up to `end`, which load() reads. The first `overlap` bytes are
  /// also in the chunk before.
  Bzip2Chunk(const base::File& file, Bzip2ChunkPool& buffers, std::uint64_t offset, std::uint64_t end,
             std::size_t overlap)
      : file_(&file), buffers_(buffers), offset_(offset), promised_end_(end), overlap_(overlap) {}
  /// The first `bytes` bytes of `buffer`, already read.
  Bzip2Chunk(Bzip2ChunkPool::Pointer buffer, std::size_t bytes, std::uint64_t offset, std::size_t overlap)
      : buffers_(*buffer.get_deleter().pool),
        offset_(offset),
        promised_end_(offset + bytes),
        overlap_(overlap),
        buffer_(std::move(buffer)),
        bytes_(bytes) {}

  /// Reads the bytes if they are not here yet, and looks for blocks. Any thread may call it, and more than
  /// once; a call waits for one that is in progress. Throws Error if the file cannot be read.
  void load();
  /// True when some thread has called load().
  bool is_begun() const noexcept { return is_begun_; }

  std::uint64_t offset() const noexcept { return offset_; }
  std::uint64_t promised_end() const noexcept { return promised_end_; }

  // After load():
  /// Smaller than promised_end() if the file has become shorter.
  std::uint64_t end() const noexcept { return offset_ + bytes_; }
  /// The bytes from offset() to end().
  std::span<const std::byte> bytes() const noexcept { return std::span(buffer_->bytes).first(bytes_); }
  /// The first bits of all block magics that lie completely in this chunk, and not in the one before.
  std::span<const std::uint64_t> blocks() const noexcept { return blocks_; }

 private:
  void find_blocks();

  const base::File* file_ = nullptr;  // null if the bytes were given to the constructor
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

/// The largest block that libbz2 accepts: 900 050 symbols of 20 bits, with their tables and selectors.
inline constexpr std::size_t kBzip2MaxPackedBytes = std::size_t{5} << 19;

/// The part of a file from one apparent start of a block to the next. Bits and bytes are counted from the
/// start of the file.
class Bzip2Segment {
 public:
  // These bytes may follow the last block and still belong to it: the end of the stream with up to 87 bits,
  // and the 32 bits of the next header.
  static constexpr std::size_t kOverlapBytes = 16;

  std::uint64_t first_byte = 0;   // its start in the file
  std::uint64_t whole_bytes = 0;  // its bytes that do not belong to the next segment
  std::optional<std::uint64_t>
      block_bit;              // the apparent start of the block; none in the first segment and in garbage
  std::uint64_t end_bit = 0;  // the start of the next segment
  bool last = false;          // the file ends at end_bit

  /// The bytes up to end_bit, and kOverlapBytes more if the file has them. The first call puts them together.
  std::span<const std::byte> bytes() const;
  std::size_t size() const noexcept { return size_; }

  /// `bit`, counted from the first bit of bytes().
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
  /// Starts with the segment at `begin_bit`; `begins_block`: a block seems to begin there.
  explicit Bzip2Cutter(Input input, std::uint64_t begin_bit = 0, bool begins_block = false);

  /// The next segment in the order of the file; null at the end of the file.
  std::shared_ptr<const Bzip2Segment> next();
  /// The segment after `segment`, which next() still returns later; null after the last one.
  std::shared_ptr<const Bzip2Segment> after(const Bzip2Segment& segment);

  /// Reads and searches the bytes after the newest segment, so that next() need not. Several threads may do
  /// this at a time, each with a part. Throws Error if the file cannot be read; next() then throws it as
  /// well.
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
  std::uint64_t file_end_;     // the end of the input; the largest number until it is known
  std::uint64_t next_offset_;  // the end of the newest chunk
  const std::shared_ptr<Bzip2ChunkPool> buffers_ = Bzip2ChunkPool::common();
  std::deque<std::shared_ptr<Bzip2Chunk>> chunks_;  // from the chunk with begin_bit_ on

  std::uint64_t begin_bit_ = 0;  // the start of the next segment
  bool begins_block_ = false;    // a block seems to begin there
  std::shared_ptr<Bzip2Segment> newest_;
  /// Segments that after() cut and next() has not returned yet.
  std::deque<std::shared_ptr<const Bzip2Segment>> ahead_;
};

/// One thread at a time.
class Bzip2Stream {
 public:
  /// Bytes after the last stream that are not zeros are an error, unless `ignores_garbage`.
  Bzip2Stream(std::string path, bool ignores_garbage)
      : path_(std::move(path)), ignores_garbage_(ignores_garbage) {}

  /// Saves everything except the path; another Bzip2Stream can restore it and continue.
  void save(base::BinaryWriter& out) const;
  void restore(base::BinaryReader& in);

  /// Reads headers and ends of streams up to the next block or the end of the segment. Throws Error for any
  /// other data, for a file that ends too early, and for a wrong checksum of a stream.
  void pass(const Bzip2Segment& segment);

  /// True if a block must begin at this bit.
  bool expects_block_at(std::uint64_t bit) const noexcept {
    return expected_ == Expected::block && bit == position_;
  }
  /// Continues after a block.
  void passed_block(std::uint64_t end_bit, std::uint32_t crc);

  /// From now on the next part is unknown. Only found_block() ends this state.
  void lose() noexcept { expected_ = Expected::unknown; }
  bool lost() const noexcept { return expected_ == Expected::unknown; }
  /// Continues at a good block at this bit, in a stream whose checksum cannot be checked.
  void found_block(std::uint64_t bit);

  /// The level in the header, 9 if it is unknown. A block has at most this many times 100 000 bytes.
  unsigned level() const noexcept { return level_; }
  /// The start of the ignored bytes after the last stream, once they have been met.
  std::optional<std::uint64_t> garbage_offset() const noexcept { return garbage_offset_; }

  /// The number of streams that have begun so far.
  std::uint64_t streams() const noexcept { return streams_; }

  const std::string& path() const noexcept { return path_; }
  /// Gives up the block that must begin at this bit; the next part is then unknown. Returns the error to
  /// throw.
  Error give_up_block(const std::string& problem, std::uint64_t bit);

 private:
  enum class Expected { header, block, garbage, unknown, padding };  // journals hold these numbers

  void pass_header(const Bzip2Segment& segment);
  void pass_end_of_stream(const Bzip2Segment& segment);
  void pass_zeros(const Bzip2Segment& segment);
  void meet_garbage(std::uint64_t offset);
  Error error(const std::string& problem) const;

  std::string path_;
  bool ignores_garbage_;
  Expected expected_ = Expected::header;
  std::uint64_t position_ = 0;  // in bits
  unsigned level_ = 9;
  std::uint32_t crc_ = 0;  // over the blocks of the current stream so far
  bool crc_known_ = true;
  std::uint64_t blocks_ = 0;  // delivered or given up so far
  std::uint64_t streams_ = 0;
  std::optional<std::uint64_t> garbage_offset_;
};

}  // namespace shardmill::codec
