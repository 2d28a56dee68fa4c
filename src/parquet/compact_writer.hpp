// CompactWriter: writes structs in Thrift's compact protocol, the form of the headers and footers of Parquet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardmill::parquet {

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
