#include "parquet/column.hpp"

#include <bit>

#include "base/error.hpp"
#include "parquet/compact_writer.hpp"
#include "parquet/numbers.hpp"

namespace shardmill::parquet {

namespace {

void append_little_endian(std::string& out, std::uint64_t value, int bytes) {
  for (int shift = 0; shift < 8 * bytes; shift += 8) out += static_cast<char>(value >> shift);
}

void append_text(std::string& out, std::string_view text) {
  append_little_endian(out, text.size(), 4);
  out += text;
}

/// Runs of the hybrid encoding, each the number of levels and the level itself, and before them their length.
std::string encoded_levels(const std::vector<std::pair<std::uint64_t, std::uint8_t>>& levels) {
  std::string runs;
  for (const auto& [count, level] : levels) {
    std::uint64_t rest = count << 1;
    for (; rest >= 0x80; rest >>= 7) runs += static_cast<char>(rest | 0x80);
    runs += static_cast<char>(rest);
    runs += static_cast<char>(level);
  }
  std::string out;
  append_text(out, runs);
  return out;
}

std::string page_header(std::size_t bytes, std::size_t rows) {
  std::string header;
  CompactWriter writer(header);
  writer.int32(1, kDataPage);
  writer.int32(2, static_cast<std::int32_t>(bytes));
  writer.int32(3, static_cast<std::int32_t>(bytes));  // the same: it is not compressed
  writer.begin_struct(5);
  writer.int32(1, static_cast<std::int32_t>(rows));
  writer.int32(2, kPlain);
  writer.int32(3, kRunLengths);
  writer.int32(4, kRunLengths);
  writer.end_struct();
  writer.end_struct();
  return header;
}

}  // namespace

void Page::add_boolean(bool value) {
  if (booleans_ % 8 == 0) values_ += '\0';
  if (value) values_.back() = static_cast<char>(values_.back() | 1 << booleans_ % 8);
  ++booleans_;
}

void Page::add(const Value& value) {
  const bool is_null = std::holds_alternative<std::monostate>(value);
  const auto level = static_cast<std::uint8_t>(is_null ? level_ - 1 : level_);
  if (levels_.empty() || levels_.back().second != level) levels_.emplace_back(0, level);
  ++levels_.back().first;
  ++rows_;
  if (is_null) return;
  switch (kind_) {
    case ValueKind::boolean:
      return add_boolean(std::get<bool>(value));
    case ValueKind::int64:
      return append_little_endian(values_, static_cast<std::uint64_t>(std::get<std::int64_t>(value)), 8);
    case ValueKind::float64:
      return append_little_endian(values_, std::bit_cast<std::uint64_t>(std::get<double>(value)), 8);
    case ValueKind::bytes:
    case ValueKind::text:
      return append_text(values_, std::get<std::string_view>(value));
  }
}

std::uint64_t Page::write(const Sink& sink) {
  const std::string levels = encoded_levels(levels_);
  const std::size_t bytes = levels.size() + values_.size();
  if (bytes > std::numeric_limits<std::int32_t>::max())
    throw Error("holds more than the 2 GiB that a page of Parquet can hold");
  const std::string head = page_header(bytes, rows_) + levels;
  sink(head);
  sink(values_);
  const std::uint64_t written = head.size() + values_.size();
  rows_ = 0;
  booleans_ = 0;
  levels_.clear();
  values_.clear();
  return written;
}

}  // namespace shardmill::parquet
