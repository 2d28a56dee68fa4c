#include "parquet/row_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/text/json_writer.hpp"

namespace shardmill::parquet {

namespace {

/// A manifest line holds no more, and a few bytes may claim billions.
constexpr std::uint64_t kMostElements = 1 << 20;

}  // namespace

RowReader::RowReader(const base::File& file, const FileMetadata& metadata, std::size_t group,
                     std::vector<std::size_t> columns, std::uint64_t most_page_bytes)
    : metadata_(metadata),
      columns_(std::move(columns)),
      cursors_(metadata.leaves.size()),
      fields_(columns_.size()) {
  std::vector<std::size_t> below = columns_;
  while (!below.empty()) {
    const SchemaNode& node = metadata_.nodes[below.back()];
    below.pop_back();
    below.insert(below.end(), node.children.begin(), node.children.end());
    if (node.is_leaf())
      cursors_[node.leaf] = std::make_unique<ColumnCursor>(file, metadata, group, node.leaf, most_page_bytes);
  }
}

void RowReader::skip_to(std::uint64_t row) {
  for (const auto& cursor : cursors_) {
    if (cursor) cursor->skip_rows(row - row_);
  }
  row_ = row;
}

const std::vector<Field>& RowReader::next() {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    fields_[i].json.clear();
    fields_[i].text.clear();
    is_left_out_ = false;
    const SchemaNode& node = metadata_.nodes[columns_[i]];
    if (node.is_leaf() && node.repetition != Repetition::repeated) {
      const auto& value = first_entry(columns_[i]).value;
      if (value)
        fields_[i].text.assign(reinterpret_cast<const char*>(value->bytes.data()), value->bytes.size());
    }
    read(columns_[i], fields_[i].json);
    fields_[i].is_left_out = is_left_out_;
  }
  for (const auto& cursor : cursors_) {
    // Of the others, to look would be to read the next page too early.
    if (!cursor || cursor->column().repeats == 0) continue;
    const Entry* after = cursor->current();
    if (after != nullptr && after->repetition != 0)
      throw Error(fmt::format("column '{}': a row has a list of another length than the columns beside it",
                              printable(cursor->column().name)),
                  cursor->where());
  }
  ++row_;
  return fields_;
}

std::uint64_t RowReader::memory_bytes() const noexcept {
  std::uint64_t bytes = 0;
  for (const auto& cursor : cursors_) bytes += cursor ? cursor->memory_bytes() : 0;
  return bytes;
}

std::size_t RowReader::first_leaf(std::size_t node) const {
  while (!metadata_.nodes[node].is_leaf()) node = metadata_.nodes[node].children.front();
  return metadata_.nodes[node].leaf;
}

const Entry& RowReader::first_entry(std::size_t node) {
  ColumnCursor& cursor = *cursors_[first_leaf(node)];
  if (const Entry* entry = cursor.current()) return *entry;
  throw Error(
      fmt::format("column '{}': has fewer values than the table has rows", printable(cursor.column().name)),
      cursor.where());
}

void RowReader::read(std::size_t number, std::string& out) {
  const SchemaNode& node = metadata_.nodes[number];
  if (node.repetition == Repetition::repeated) return read_array(number, false, out);
  if (first_entry(number).definition < node.definition) {
    out += "null";
    return skip_null(number);
  }
  read_present(node, out);
}

/// A node that is there, or an element of one that is repeated.
void RowReader::read_present(const SchemaNode& node, std::string& out) {
  if (!node.is_leaf()) {
    if (node.meaning == Meaning::list && node.children.size() == 1) return read_list(node, out);
    if (node.meaning == Meaning::map && node.children.size() == 1) return read_map(node, out);
    return read_object(node, out);
  }
  ColumnCursor& cursor = *cursors_[node.leaf];
  const Entry* entry = cursor.current();
  if (entry == nullptr || !entry->value)
    throw Error(fmt::format("column '{}': lacks a value", printable(node.name)), cursor.where());
  if (!append_json(out, node, *entry->value)) is_left_out_ = true;
  cursor.advance();
}

void RowReader::read_object(const SchemaNode& node, std::string& out) {
  out += '{';
  for (const std::size_t child : node.children) {
    if (child != node.children.front()) out += ',';
    base::append_json_string(out, metadata_.nodes[child].name);
    out += ':';
    read(child, out);
  }
  out += '}';
}

/// Calls `read_element` for each element of a node that is repeated.
void RowReader::for_each_element(std::size_t number, const std::function<void()>& read_element) {
  const SchemaNode& node = metadata_.nodes[number];
  if (first_entry(number).definition < node.definition) return skip_null(number);
  ColumnCursor& cursor = *cursors_[first_leaf(number)];
  const auto goes_on = [&] {
    const Entry* next = cursor.current();
    return next != nullptr && next->repetition == node.repeats;
  };
  std::uint64_t elements = 0;
  do {
    if (++elements > kMostElements)
      throw Error(fmt::format("column '{}': a row has a list of more than {} elements", printable(node.name),
                              kMostElements),
                  cursor.where());
    read_element();
  } while (goes_on());
}

/// The elements of a node that is repeated, as an array. `is_wrapped`: the node is the format's own struct
/// around each element.
void RowReader::read_array(std::size_t number, bool is_wrapped, std::string& out) {
  const SchemaNode& node = metadata_.nodes[number];
  bool is_first = true;
  out += '[';
  for_each_element(number, [&] {
    if (!std::exchange(is_first, false)) out += ',';
    is_wrapped ? read(node.children.front(), out) : read_present(node, out);
  });
  out += ']';
}

void RowReader::read_list(const SchemaNode& list, std::string& out) {
  const std::size_t number = list.children.front();
  const SchemaNode& node = metadata_.nodes[number];
  if (node.repetition != Repetition::repeated) return read_object(list, out);
  // The rule of the format for lists of older writers.
  const bool is_wrapped =
      node.children.size() == 1 && node.name != "array" && node.name != list.name + "_tuple";
  read_array(number, is_wrapped, out);
}

/// As an object, whose names are the keys as texts.
void RowReader::read_map(const SchemaNode& map, std::string& out) {
  const std::size_t number = map.children.front();
  const SchemaNode& node = metadata_.nodes[number];
  constexpr std::size_t kKeyAndValue = 2;
  const bool is_map = node.repetition == Repetition::repeated && node.children.size() == kKeyAndValue;
  if (!is_map) return read_list(map, out);
  bool is_first = true;
  out += '{';
  for_each_element(number, [&] {
    if (!std::exchange(is_first, false)) out += ',';
    std::string key;
    read(node.children.front(), key);
    key.starts_with('"') ? void(out += key) : base::append_json_string(out, key);
    out += ':';
    read(node.children.back(), out);
  });
  out += '}';
}

/// Takes the one entry that each leaf has for a null or for an empty list.
void RowReader::skip_null(std::size_t number) {
  const SchemaNode& node = metadata_.nodes[number];
  for (const std::size_t child : node.children) skip_null(child);
  if (node.is_leaf()) {
    first_entry(number);
    cursors_[node.leaf]->advance();
  }
}

}  // namespace shardmill::parquet
