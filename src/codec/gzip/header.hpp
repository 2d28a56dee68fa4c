// The members of a gzip file: their header, trailer and checksum; and GzipSalvage, which finds the members
// that are still whole after damage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/io/binary_fields.hpp"
#include "base/io/file.hpp"
#include "codec/streams.hpp"

namespace shardmill::codec {

/// The checksum of a range that ends with `bytes`; `crc` is the checksum of the bytes before them (0 for
/// none). By ISA-L if the program is built with it, which is several times as fast as zlib.
std::uint32_t gzip_crc(std::uint32_t crc, std::span<const std::byte> bytes);
/// The same by zlib. Every build has this function, so that tests can compare the two.
std::uint32_t plain_gzip_crc(std::uint32_t crc, std::span<const std::byte> bytes);
/// The checksum of two ranges one after the other, from the checksum of each.
std::uint32_t joined_gzip_crc(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes);

/// The checksum and the size at the end of a member.
inline constexpr std::size_t kGzipTrailerBytes = 8;

/// Reads the header of a gzip member, which may arrive in any number of parts.
class GzipHeader {
 public:
  /// Returns the number of bytes taken: all of them, unless the header ends or is wrong. The first two bytes,
  /// the magic, are not checked.
  std::size_t feed(std::span<const std::byte> bytes);

  bool is_whole() const noexcept { return field_ == Field::end; }
  /// In zlib's words; null if the header is good so far.
  const char* problem() const noexcept { return problem_; }

  void save(base::BinaryWriter& out) const;
  void restore(base::BinaryReader& in);

 private:
  enum class Field : std::uint8_t { fixed, extra_length, extra, name, comment, checksum, end };

  bool has(Field field) const noexcept;
  void take(std::byte byte);
  void enter_next();

  Field field_ = Field::fixed;
  std::uint8_t flags_ = 0;
  std::uint32_t taken_ = 0;   // bytes of the field
  std::uint32_t number_ = 0;  // the value of the field
  std::uint32_t crc_ = 0;     // of all before the checksum
  const char* problem_ = nullptr;
};

/// One thread at a time.
class GzipSalvage {
 public:
  /// Looks for members from `offset` on. `file` must be a regular file and outlive this object.
  GzipSalvage(const base::File& file, std::uint64_t offset);

  /// The next plain bytes of a member with a right checksum; empty if there are no more. Decodes each member
  /// twice, so that it returns no byte before all are checked.
  std::span<const std::byte> read();

 private:
  bool find_member();
  std::optional<std::uint64_t> find_header(std::uint64_t offset) const;
  bool is_sound(std::uint64_t begin);
  void begin_member(std::uint64_t begin);
  Progress step();

  const base::File& file_;
  std::uint64_t offset_;  // a possible start of a member
  std::unique_ptr<StreamDecoder> decoder_;
  std::vector<std::byte> packed_;
  std::size_t packed_used_ = 0;
  std::uint64_t next_read_ = 0;
  std::vector<std::byte> plain_;
  bool inside_ = false;             // a good member
  std::uint64_t wasted_bytes_ = 0;  // decoded without finding a member
};

}  // namespace shardmill::codec
