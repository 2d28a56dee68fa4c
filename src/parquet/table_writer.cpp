#include "parquet/table_writer.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/error.hpp"
#include "parquet/compact.hpp"
#include "parquet/file_metadata.hpp"

namespace shardmill::parquet {

namespace {

template <typename Kind>
std::int32_t number_of(Kind kind) {
  return static_cast<std::int32_t>(kind);
}

void append_little_endian(std::string& out, std::uint64_t value, int bytes) {
  for (int shift = 0; shift < 8 * bytes; shift += 8) out += static_cast<char>(value >> shift);
}

void append_value(std::string& out, std::string_view text) {
  append_little_endian(out, text.size(), 4);
  out += text;
}

/// Runs of the hybrid encoding: their length in bytes, then for each the number of levels and the level
/// itself.
std::string encoded_levels(const std::vector<std::pair<std::uint64_t, std::uint8_t>>& levels) {
  std::string runs;
  for (const auto& [count, level] : levels) {
    std::uint64_t rest = count << 1;
    for (; rest >= 0x80; rest >>= 7) runs += static_cast<char>(rest | 0x80);
    runs += static_cast<char>(rest);
    runs += static_cast<char>(level);
  }
  std::string out;
  append_value(out, runs);
  return out;
}

std::string page_header(std::size_t bytes, std::size_t rows) {
  std::string header;
  CompactWriter writer(header);
  writer.int32(1, number_of(PageKind::data));
  writer.int32(2, static_cast<std::int32_t>(bytes));
  writer.int32(3, static_cast<std::int32_t>(bytes));  // the same: it is not compressed
  writer.begin_struct(5);
  writer.int32(1, static_cast<std::int32_t>(rows));
  writer.int32(2, number_of(Encoding::plain));
  writer.int32(3, number_of(Encoding::rle));
  writer.int32(4, number_of(Encoding::rle));
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
      return append_value(values_, std::get<std::string_view>(value));
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

namespace {

std::int64_t signed_size(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

std::int32_t type_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::boolean:
      return number_of(Physical::boolean);
    case ValueKind::int64:
      return number_of(Physical::int64);
    case ValueKind::float64:
      return number_of(Physical::float64);
    case ValueKind::bytes:
    case ValueKind::text:
      break;
  }
  return number_of(Physical::byte_array);
}

std::size_t bytes_of(const Value& value) {
  const auto* text = std::get_if<std::string_view>(&value);
  return text != nullptr ? text->size() : sizeof(std::uint64_t);
}

void describe(CompactWriter& writer, const Column& column) {
  writer.begin_element();
  writer.int32(1, type_of(column.kind));
  writer.int32(3, number_of(Repetition::optional));
  writer.text(4, column.name);
  if (column.kind == ValueKind::text) {
    writer.int32(6, kUtf8);
    writer.begin_struct(10);  // LogicalType, a union,
    writer.begin_struct(1);   // its member StringType
    writer.end_struct();
    writer.end_struct();
  }
  writer.end_struct();
}

/// A struct of columns, or the table itself, whose name no reader uses.
void describe_struct(CompactWriter& writer, std::string_view name, std::size_t children, bool is_table) {
  writer.begin_element();
  if (!is_table) writer.int32(3, number_of(Repetition::optional));
  writer.text(4, name);
  writer.int32(5, static_cast<std::int32_t>(children));
  writer.end_struct();
}

/// The table, and its contents in depth-first order.
void describe(CompactWriter& writer, const std::vector<Column>& columns) {
  std::size_t children = 0;  // of the table
  std::size_t structs = 0;
  const auto begins = [&](std::size_t i) { return i == 0 || columns[i].group != columns[i - 1].group; };
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].group.empty() || begins(i)) ++children;
    if (!columns[i].group.empty() && begins(i)) ++structs;
  }
  writer.begin_list(2, CompactWriter::Element::structure, 1 + structs + columns.size());
  describe_struct(writer, "schema", children, true);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string& group = columns[i].group;
    if (!group.empty() && begins(i)) {
      const auto end = std::find_if(columns.begin() + static_cast<std::ptrdiff_t>(i), columns.end(),
                                    [&](const Column& column) { return column.group != group; });
      describe_struct(writer, group, static_cast<std::size_t>(end - columns.begin()) - i, false);
    }
    describe(writer, columns[i]);
  }
}

}  // namespace

TableWriter::TableWriter(std::vector<Column> columns, std::vector<Note> notes, Sink sink,
                         const GroupLimits& limits)
    : columns_(std::move(columns)), notes_(std::move(notes)), sink_(std::move(sink)), limits_(limits) {
  for (const Column& column : columns_) pages_.emplace_back(column);
  chunks_.resize(columns_.size());
  write(kMagic);
}

void TableWriter::write(std::string_view bytes) {
  sink_(bytes);
  written_ += bytes.size();
}

void TableWriter::write_page(std::size_t column) {
  if (chunks_[column].bytes == 0) chunks_[column].begin = written_;
  const std::uint64_t bytes = pages_[column].write(sink_);
  chunks_[column].bytes += bytes;
  written_ += bytes;
}

void TableWriter::add(std::span<const Value> row) {
  for (const Value& value : row) {
    if (bytes_of(value) > kHighestValueBytes)
      throw Error("is larger than the 2 GiB that a value of Parquet can hold");
  }
  // So that each page stays within the limits of the format, too.
  std::size_t bytes = 0;
  for (const Value& value : row) bytes += bytes_of(value);
  if (group_rows_ != 0 && group_bytes_ + bytes > limits_.bytes) end_group();
  for (std::size_t i = 0; i < row.size(); ++i) pages_[i].add(row[i]);
  ++group_rows_;
  group_bytes_ += bytes;
  if (group_rows_ == limits_.rows) return end_group();
  if (pages_.front().bytes() >= limits_.page_bytes) write_page(0);
}

void TableWriter::end_group() {
  for (std::size_t i = 0; i < pages_.size(); ++i) {
    if (pages_[i].rows() != 0) write_page(i);
  }
  describe_group();
  rows_ += group_rows_;
  group_rows_ = 0;
  group_bytes_ = 0;
  ++groups_;
  std::fill(chunks_.begin(), chunks_.end(), Chunk{});
}

void TableWriter::describe_group() {
  CompactWriter writer(described_groups_);
  std::uint64_t bytes = 0;
  writer.begin_list(1, CompactWriter::Element::structure, columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Column& column = columns_[i];
    const Chunk& chunk = chunks_[i];
    bytes += chunk.bytes;
    writer.begin_element();
    writer.int64(2, signed_size(chunk.begin));
    writer.begin_struct(3);
    writer.int32(1, type_of(column.kind));
    writer.begin_list(2, CompactWriter::Element::int32, 2);
    writer.int32_element(number_of(Encoding::plain));
    writer.int32_element(number_of(Encoding::rle));
    writer.begin_list(3, CompactWriter::Element::text, column.group.empty() ? 1 : 2);
    if (!column.group.empty()) writer.text_element(column.group);
    writer.text_element(column.name);
    writer.int32(4, number_of(Packing::none));
    writer.int64(5, signed_size(group_rows_));
    writer.int64(6, signed_size(chunk.bytes));
    writer.int64(7, signed_size(chunk.bytes));
    writer.int64(9, signed_size(chunk.begin));
    writer.end_struct();
    writer.end_struct();
  }
  writer.int64(2, signed_size(bytes));
  writer.int64(3, signed_size(group_rows_));
  writer.int64(5, signed_size(chunks_.front().begin));
  writer.int64(6, signed_size(bytes));
  writer.end_struct();
}

std::string TableWriter::footer() const {
  std::string out;
  CompactWriter writer(out);
  writer.int32(1, 1);  // the version of the format
  describe(writer, columns_);
  writer.int64(3, signed_size(rows_));
  writer.begin_list(4, CompactWriter::Element::structure, groups_);
  out += described_groups_;
  if (!notes_.empty()) writer.begin_list(5, CompactWriter::Element::structure, notes_.size());
  for (const Note& note : notes_) {
    writer.begin_element();
    writer.text(1, note.key);
    writer.text(2, note.value);
    writer.end_struct();
  }
  writer.text(6, "shardmill");
  writer.end_struct();
  return out;
}

void TableWriter::finish() {
  if (group_rows_ != 0) end_group();
  std::string end = footer();
  const auto size = static_cast<std::uint32_t>(end.size());
  for (int shift = 0; shift < 32; shift += 8) end += static_cast<char>(size >> shift);
  end += kMagic;
  write(end);
}

}  // namespace shardmill::parquet
