// What must come next in a bzip2 file: headers, blocks and ends of streams, in order, and their checksums.
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
  /// What follows the last stream and is not zeros is an error, unless it is ignored.
  Bzip2Stream(std::string path, bool ignores_garbage)
      : path_(std::move(path)), ignores_garbage_(ignores_garbage) {}

  /// Everything but the path, for another Bzip2Stream to go on from.
  void save(base::BinaryWriter& out) const;
  void restore(base::BinaryReader& in);

  /// Reads what stands between blocks, from where it is to the next block or the end of the segment. Throws
  /// Error when something else stands there, the file ends too early or a stream's checksum is wrong.
  void pass(const Bzip2Segment& segment);

  /// True when a block must begin at this bit.
  bool expects_block_at(std::uint64_t bit) const noexcept {
    return expected_ == Expected::block && bit == position_;
  }
  /// Goes on behind a block.
  void passed_block(std::uint64_t end_bit, std::uint32_t crc);

  /// The place of the data is lost: nothing fits until found_block().
  void lose() noexcept { expected_ = Expected::unknown; }
  bool lost() const noexcept { return expected_ == Expected::unknown; }
  /// A good block at this bit: everything goes on from there, with a stream whose checksum cannot be
  /// verified.
  void found_block(std::uint64_t bit);

  /// The number in the header, 9 when that is not known: a block has at most so many times 100 000 bytes.
  unsigned level() const noexcept { return level_; }
  /// Where the trailing garbage begins that is ignored, once it is met.
  std::optional<std::uint64_t> garbage_offset() const noexcept { return garbage_offset_; }

  /// How many streams have begun.
  std::uint64_t streams() const noexcept { return streams_; }

  const std::string& path() const noexcept { return path_; }
  /// Gives up the block that must begin at this bit: the place is lost. Returns what to throw.
  Error give_up_block(const std::string& problem, std::uint64_t bit);

 private:
  enum class Expected { header, block, garbage, unknown, padding };  // the numbers stand in journals

  void pass_header(const Bzip2Segment& segment);
  void pass_end_of_stream(const Bzip2Segment& segment);
  void pass_padding(const Bzip2Segment& segment);
  void meet_garbage(std::uint64_t offset);
  Error error(const std::string& problem) const;

  std::string path_;
  bool ignores_garbage_;
  Expected expected_ = Expected::header;
  std::uint64_t position_ = 0;  // bit
  unsigned level_ = 9;
  std::uint32_t crc_ = 0;  // over the blocks of the stream so far
  bool crc_known_ = true;
  std::uint64_t blocks_ = 0;  // passed or given up so far
  std::uint64_t streams_ = 0;
  std::optional<std::uint64_t> garbage_offset_;
};

}  // namespace shardmill::codec
