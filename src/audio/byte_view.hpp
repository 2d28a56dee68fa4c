// ByteView: reads numbers and tags from bytes that may end too early. put_big, put_little: write numbers
// over bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "shardmill/sample.hpp"

namespace shardmill::audio {

/// Bytes after the end read as 0, so that a header can be read first and judged by size() afterwards.
class ByteView {
 public:
  explicit ByteView(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::size_t size() const noexcept { return bytes_.size(); }
  std::span<const std::byte> bytes() const noexcept { return bytes_; }

  std::uint32_t u8(std::size_t at) const noexcept {
    return at < bytes_.size() ? std::to_integer<std::uint32_t>(bytes_[at]) : 0;
  }
  std::uint32_t le16(std::size_t at) const noexcept { return u8(at) | u8(at + 1) << 8; }
  std::uint32_t le32(std::size_t at) const noexcept { return le16(at) | le16(at + 2) << 16; }
  std::uint64_t le64(std::size_t at) const noexcept { return le32(at) | std::uint64_t{le32(at + 4)} << 32; }
  std::uint32_t be16(std::size_t at) const noexcept { return u8(at) << 8 | u8(at + 1); }
  std::uint32_t be24(std::size_t at) const noexcept { return be16(at) << 8 | u8(at + 2); }
  std::uint32_t be32(std::size_t at) const noexcept { return be16(at) << 16 | be16(at + 2); }

  /// True if the bytes at `at` are `tag`.
  bool has(std::size_t at, std::string_view tag) const noexcept { return text(at, tag.size()) == tag; }
  /// The text at `at`; shorter than `count` if the bytes end before.
  std::string_view text(std::size_t at, std::size_t count) const noexcept {
    if (at >= size()) return {};
    return {reinterpret_cast<const char*>(bytes_.data()) + at, std::min(count, size() - at)};
  }
  ByteView first(std::size_t count) const noexcept { return ByteView(bytes_.first(std::min(count, size()))); }
  ByteView from(std::size_t at) const noexcept { return ByteView(bytes_.subspan(std::min(at, size()))); }

 private:
  std::span<const std::byte> bytes_;
};

/// Writes `value` into `count` bytes at `at`, the lowest byte first.
inline void put_little(Bytes& bytes, std::size_t at, std::uint64_t value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) bytes[at + i] = static_cast<std::byte>(value >> (8 * i) & 0xff);
}

/// The same, the highest byte first.
inline void put_big(Bytes& bytes, std::size_t at, std::uint64_t value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    bytes[at + i] = static_cast<std::byte>(value >> (8 * (count - 1 - i)) & 0xff);
}

inline Bytes copied(ByteView audio) {
  return {audio.bytes().begin(), audio.bytes().end()};
}

}  // namespace shardmill::audio
