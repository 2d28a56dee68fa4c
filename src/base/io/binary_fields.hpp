// FieldWriter and FieldReader: one description of a record's fields converts it to bytes and back.
//
//   template <base::Either<Point> Record>
//   void describe(auto& fields, Record& point) { fields(point.x, point.y); }
//
//   base::put_fields(out, point);
//   point = base::read_fields<Point>(in);
#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/io/binary.hpp"

namespace shardmill::base {

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
