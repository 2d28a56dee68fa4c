#include "parquet/compact_writer.hpp"

namespace shardmill::parquet {

namespace {

constexpr std::uint8_t kThriftInt32 = 5;
constexpr std::uint8_t kThriftInt64 = 6;
constexpr std::uint8_t kThriftText = 8;
constexpr std::uint8_t kThriftList = 9;
constexpr std::uint8_t kThriftStruct = 12;
/// Larger numbers do not fit into the half byte beside a type.
constexpr int kHighestStep = 15;
constexpr std::size_t kShortList = 14;

}  // namespace

void CompactWriter::varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out_ += static_cast<char>(value | 0x80);
  out_ += static_cast<char>(value);
}

void CompactWriter::signed_varint(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  varint(value < 0 ? ~(bits << 1) : bits << 1);
}

void CompactWriter::header(int field, std::uint8_t type) {
  const int step = field - last_fields_.back();
  last_fields_.back() = field;
  if (step >= 1 && step <= kHighestStep) {
    out_ += static_cast<char>(step << 4 | type);
    return;
  }
  out_ += static_cast<char>(type);
  signed_varint(field);
}

void CompactWriter::int32(int field, std::int32_t value) {
  header(field, kThriftInt32);
  signed_varint(value);
}

void CompactWriter::int64(int field, std::int64_t value) {
  header(field, kThriftInt64);
  signed_varint(value);
}

void CompactWriter::text(int field, std::string_view value) {
  header(field, kThriftText);
  text_element(value);
}

void CompactWriter::begin_struct(int field) {
  header(field, kThriftStruct);
  last_fields_.push_back(0);
}

void CompactWriter::end_struct() {
  out_ += '\0';
  last_fields_.pop_back();
}

void CompactWriter::begin_list(int field, Element kind, std::size_t count) {
  header(field, kThriftList);
  const auto type = static_cast<unsigned>(kind);
  if (count <= kShortList) {
    out_ += static_cast<char>(count << 4 | type);
  } else {
    out_ += static_cast<char>(0xf0 | type);
    varint(count);
  }
}

void CompactWriter::int32_element(std::int32_t value) {
  signed_varint(value);
}

void CompactWriter::text_element(std::string_view value) {
  varint(value.size());
  out_ += value;
}

void CompactWriter::begin_element() {
  last_fields_.push_back(0);
}

}  // namespace shardmill::parquet
