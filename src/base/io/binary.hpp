// BinaryWriter and BinaryReader: convert values to bytes and back, for files that only shardmill reads
// (journal, scratch).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace shardmill::base {

/// Integers are little-endian on every machine; a text or a range of bytes is written after its length.
class BinaryWriter {
 public:
  void put(std::uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8) bytes_.push_back(static_cast<std::byte>(value >> shift));
  }
  void put_signed(std::int64_t value) { put(static_cast<std::uint64_t>(value)); }
  void put(std::span<const std::byte> bytes) {
    put(bytes.size());
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void put(std::string_view text) { put(std::as_bytes(std::span(text.data(), text.size()))); }

  const std::vector<std::byte>& bytes() const noexcept { return bytes_; }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// Throws Error if the bytes end too early; bytes of a BinaryWriter never do.
class BinaryReader {
 public:
  explicit BinaryReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  std::uint64_t number() {
    const auto raw = take(8);
    std::uint64_t value = 0;
    for (std::size_t i = 8; i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(raw[i]);
    return value;
  }
  std::int64_t signed_number() { return static_cast<std::int64_t>(number()); }
  std::span<const std::byte> bytes() { return take(number()); }
  std::string text() {
    const auto raw = bytes();
    return {reinterpret_cast<const char*>(raw.data()), raw.size()};
  }
  bool at_end() const noexcept { return rest_.empty(); }

 private:
  std::span<const std::byte> take(std::uint64_t count) {
    if (count > rest_.size()) throw Error("record ends too early");
    const auto taken = rest_.first(static_cast<std::size_t>(count));
    rest_ = rest_.subspan(static_cast<std::size_t>(count));
    return taken;
  }

  std::span<const std::byte> rest_;
};

}  // namespace shardmill::base
