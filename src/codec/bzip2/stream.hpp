// Bzip2Stream: knows the part that must come next in a bzip2 file (header, block or end of a stream), and
// checks the checksums of streams.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/io/binary.hpp"
#include "codec/bzip2/cutter.hpp"

namespace shardmill::codec {

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
