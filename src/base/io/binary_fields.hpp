// FieldWriter and FieldReader: one description of a record's fields converts it to bytes and back.
//
//   template <base::Either<Point> Record>
//   void describe(auto& fields, Record& point) { fields(point.x, point.y); }
//
//   base::put_fields(out, point);
//   point = base::read_fields<Point>(in);
//
// BinaryWriter and BinaryReader: convert values to bytes and back, for files that only shardmill reads
// (journal, scratch).
#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
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

/// A record to be written, or the same to be read.
template <typename Record, typename Plain>
concept Either = std::same_as<std::remove_const_t<Record>, Plain>;

class FieldWriter {
 public:
  explicit FieldWriter(BinaryWriter& out) : out_(out) {}

  template <typename... Values>
  void operator()(const Values&... values) {
    (field(values), ...);
  }

 private:
  template <std::unsigned_integral Number>
  void field(Number number) {
    out_.put(std::uint64_t{number});
  }
  void field(std::chrono::nanoseconds duration) { out_.put_signed(duration.count()); }
  void field(const std::string& text) { out_.put(text); }
  void field(const std::vector<std::byte>& bytes) { out_.put(std::span(bytes)); }
  template <typename Byte, std::size_t size>
  requires(sizeof(Byte) == 1) void field(const std::array<Byte, size>& bytes) {
    out_.put(std::as_bytes(std::span(bytes)));
  }
  template <typename Value>
  void field(const std::vector<Value>& values) {
    out_.put(values.size());
    for (const Value& value : values) field(value);
  }
  template <typename Key, typename Value>
  void field(const std::map<Key, Value>& values) {
    out_.put(values.size());
    for (const auto& [key, value] : values) (*this)(key, value);
  }
  template <typename Record>
  requires std::is_class_v<Record>
  void field(const Record& record) { describe(*this, record); }

  BinaryWriter& out_;
};

/// Throws Error if a FieldWriter did not write the bytes.
class FieldReader {
 public:
  explicit FieldReader(BinaryReader& in) : in_(in) {}

  template <typename... Values>
  void operator()(Values&... values) {
    (field(values), ...);
  }

 private:
  template <std::unsigned_integral Number>
  void field(Number& number) {
    const std::uint64_t value = in_.number();
    number = static_cast<Number>(value);
    if (std::uint64_t{number} != value) throw Error("a record holds a number that is too large");
  }
  void field(std::chrono::nanoseconds& duration) { duration = std::chrono::nanoseconds(in_.signed_number()); }
  void field(std::string& text) { text = in_.text(); }
  void field(std::vector<std::byte>& bytes) {
    const auto raw = in_.bytes();
    bytes.assign(raw.begin(), raw.end());
  }
  template <typename Byte, std::size_t size>
  requires(sizeof(Byte) == 1) void field(std::array<Byte, size>& bytes) {
    const auto raw = in_.bytes();
    if (raw.size() != size) throw Error("a record holds a value of another size");
    const auto target = std::as_writable_bytes(std::span(bytes));
    std::copy(raw.begin(), raw.end(), target.begin());
  }
  template <typename Value>
  void field(std::vector<Value>& values) {
    for (std::uint64_t left = in_.number(); left > 0; --left) field(values.emplace_back());
  }
  template <typename Key, typename Value>
  void field(std::map<Key, Value>& values) {
    for (std::uint64_t left = in_.number(); left > 0; --left) {
      Key key{};
      field(key);
      field(values[std::move(key)]);
    }
  }
  template <typename Record>
  requires std::is_class_v<Record>
  void field(Record& record) { describe(*this, record); }

  BinaryReader& in_;
};

template <typename Record>
void put_fields(BinaryWriter& out, const Record& record) {
  FieldWriter fields(out);
  fields(record);
}

template <typename Record>
Record read_fields(BinaryReader& in) {
  FieldReader fields(in);
  Record record{};
  fields(record);
  return record;
}

}  // namespace shardmill::base
