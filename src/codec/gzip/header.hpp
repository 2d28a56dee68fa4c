// The header, the trailer and the checksum of gzip members.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/io/binary_fields.hpp"

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

}  // namespace shardmill::codec
