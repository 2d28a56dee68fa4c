// GzipHeader: reads the header of a gzip member, in as many parts as its bytes come in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/io/binary.hpp"

namespace shardmill::codec {

/// After a member: its checksum and its size.
inline constexpr std::size_t kGzipTrailerBytes = 8;

class GzipHeader {
 public:
  /// Returns how many bytes were taken: all, unless the header ends or something is wrong with it. The first
  /// two, which say that this is gzip, are taken as they are.
  std::size_t feed(std::span<const std::byte> bytes);

  bool is_whole() const noexcept { return field_ == Field::end; }
  /// In zlib's words; null when nothing is wrong so far.
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
  std::uint32_t number_ = 0;  // that the field stands for
  std::uint32_t crc_ = 0;     // of all before the checksum
  const char* problem_ = nullptr;
};

}  // namespace shardmill::codec
