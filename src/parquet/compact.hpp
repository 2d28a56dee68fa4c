// Structs in Thrift's compact protocol, the form of the headers and footers of Parquet: CompactReader reads
// them from bytes that may be anything, CompactWriter writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace shardmill::parquet {

/// Throws Error, without a place, for bytes that are not what the caller asks for. One thread at a time.
///
///   reader.fields([&](int field, Type type) {
///     if (field == 1) return void(rows = reader.integer(type));
///     reader.skip(type);
///   });
class CompactReader {
 public:
  enum class Type : std::uint8_t {
    yes = 1,
    no = 2,
    int8 = 3,
    int16 = 4,
    int32 = 5,
    int64 = 6,
    real = 7,
    text = 8,
    list = 9,
    set = 10,
    map = 11,
    structure = 12,
    uuid = 13
  };

  /// `bytes` must outlive it, and the texts that it returns.
  explicit CompactReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  /// Reads a struct. `take(field, type)` is called for each field, and has to read or skip it.
  template <typename Take>
  void fields(Take&& take) {
    enter();
    int field = 0;
    Type type{};
    while (next_field(field, type)) take(field, type);
    leave();
  }
  /// The same for a field that is a struct. Throws if its type is another.
  template <typename Take>
  void fields(Type type, Take&& take) {
    expect(type == Type::structure);
    fields(take);
  }
  /// Reads a list. `take(type)` is called for each element, with its type.
  template <typename Take>
  void elements(Type type, Take&& take) {
    expect(type == Type::list || type == Type::set);
    Type element{};
    for (std::size_t left = begin_list(element); left > 0; --left) take(element);
  }

  std::int64_t integer(Type type);
  bool truth(Type type);
  std::string_view text(Type type);
  void skip(Type type);

  /// How many bytes were read.
  std::size_t consumed() const noexcept { return at_; }
  /// After an Error: more bytes might have helped.
  bool is_cut() const noexcept { return is_cut_; }

 private:
  static void expect(bool is_right);
  void enter();
  void leave() { --depth_; }
  bool next_field(int& field, Type& type);
  std::size_t begin_list(Type& element);
  std::uint8_t byte();
  std::uint64_t varint();
  std::span<const std::byte> take(std::uint64_t count);
  static Type checked(unsigned type);

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool is_cut_ = false;
};

/// Appends to a string that the caller owns. Starts inside a struct; end_struct() ends the innermost struct.
/// The fields of a struct come in the order of their numbers. One thread at a time.
class CompactWriter {
 public:
  enum class Element : std::uint8_t { int32 = 5, text = 8, structure = 12 };

  explicit CompactWriter(std::string& out) : out_(out) {}

  void int32(int field, std::int32_t value);
  void int64(int field, std::int64_t value);
  void text(int field, std::string_view value);
  void begin_struct(int field);
  void end_struct();

  /// Exactly `count` elements follow.
  void begin_list(int field, Element kind, std::size_t count);
  void int32_element(std::int32_t value);
  void text_element(std::string_view value);
  /// An element that is a struct; end_struct() ends it.
  void begin_element();

 private:
  void header(int field, std::uint8_t type);
  void varint(std::uint64_t value);
  void signed_varint(std::int64_t value);

  std::string& out_;
  std::vector<int> last_fields_{0};  // of each struct that is open, the innermost last
};

}  // namespace shardmill::parquet
