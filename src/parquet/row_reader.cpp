#include "parquet/row_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/error.hpp"
#include "base/text/json_writer.hpp"
#include "base/text/units.hpp"

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
  if (const std::uint32_t level = first_entry(number).definition; level < node.definition) {
    out += "null";
    return skip_null(number, level);
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
  if (const std::uint32_t level = first_entry(number).definition; level < node.definition)
    return skip_null(number, level);
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

/// Takes the one entry that each leaf has for a null or for an empty list; `level`: its level of definition.
void RowReader::skip_null(std::size_t number, std::uint32_t level) {
  const SchemaNode& node = metadata_.nodes[number];
  for (const std::size_t child : node.children) skip_null(child, level);
  if (!node.is_leaf()) return;
  ColumnCursor& cursor = *cursors_[node.leaf];
  if (first_entry(number).definition != level)
    throw Error(
        fmt::format("column '{}': has a value where the columns beside it have none", printable(node.name)),
        cursor.where());
  cursor.advance();
}

DataPage::DataPage(const SchemaNode& column, const PageHeader& header, PageBody&& body,
                   std::shared_ptr<const Dictionary> dictionary)
    : column_(column), body_(std::move(body)), left_(header.values) {
  auto rest = std::span<const std::byte>(body_.bytes);
  if (header.kind == PageKind::data_v2) {
    const auto repetitions = rest.first(header.repetition_bytes);
    const auto definitions = rest.subspan(header.repetition_bytes, header.definition_bytes);
    repetitions_ = HybridDecoder(repetitions, static_cast<std::uint32_t>(std::bit_width(column.repeats)));
    definitions_ = HybridDecoder(definitions, static_cast<std::uint32_t>(std::bit_width(column.definition)));
    rest = rest.subspan(body_.levels_bytes);
  } else {
    repetitions_ = levels(rest, column.repeats, header.repetition_encoding);
    definitions_ = levels(rest, column.definition, header.definition_encoding);
  }
  values_ = decode_values(column, header, rest, std::move(dictionary));
}

/// Of a page of version 1, which has the size of its levels in front of them.
HybridDecoder DataPage::levels(std::span<const std::byte>& rest, std::uint32_t highest,
                               Encoding encoding) const {
  if (highest == 0) return {};
  if (encoding != Encoding::rle)
    throw Error(fmt::format("has levels in an encoding ({}) that is not read", static_cast<int>(encoding)));
  constexpr std::size_t kSizeBytes = 4;
  if (rest.size() < kSizeBytes) throw Error("ends inside its levels");
  const std::uint64_t bytes = little_endian(rest.first(kSizeBytes));
  rest = rest.subspan(kSizeBytes);
  if (bytes > rest.size()) throw Error("ends inside its levels");
  const auto own = rest.first(static_cast<std::size_t>(bytes));
  rest = rest.subspan(own.size());
  return {own, static_cast<std::uint32_t>(std::bit_width(highest))};
}

Entry DataPage::next() {
  if (left_ == 0) throw Error("holds fewer values than it says");
  --left_;
  Entry entry{.repetition = repetitions_.next(), .definition = definitions_.next()};
  if (entry.repetition > column_.repeats || entry.definition > column_.definition)
    throw Error("has levels that its column cannot have");
  if (entry.definition == column_.definition) entry.value = values_->next();
  return entry;
}

std::shared_ptr<const Dictionary> load_dictionary(const base::File& file, const PageHeader& header,
                                                  Packing packing, const SchemaNode& column) {
  PageBody body = load_page(file, header, packing);
  try {
    return std::make_shared<const Dictionary>(column, header, std::move(body.bytes));
  } catch (const Error& error) {
    throw Error("a page " + error.problem(), {.path = file.path(), .offset = header.offset});
  }
}

ColumnCursor::ColumnCursor(const base::File& file, const FileMetadata& metadata, std::size_t group,
                           std::size_t leaf, std::uint64_t most_page_bytes)
    : file_(file),
      column_(metadata.leaf(leaf)),
      name_(metadata.path_of(leaf)),
      packing_(metadata.groups[group].chunks[leaf].packing),
      begin_(metadata.groups[group].chunks[leaf].begin),
      most_page_bytes_(most_page_bytes),
      walk_(file, metadata.groups[group].chunks[leaf]) {}

void ColumnCursor::fail(const Error& error) {
  const Where where = error.where().path.empty() ? this->where() : error.where();
  const std::string problem = error.where().path.empty() ? "a page " + error.problem() : error.problem();
  failure_.emplace(fmt::format("column '{}': {}", name_, problem), where, error.advice());
  throw Error(*failure_);
}

Where ColumnCursor::where() const {
  return {.path = file_.path(), .offset = header_ ? header_->offset : begin_};
}

std::uint64_t ColumnCursor::memory_bytes() const noexcept {
  return (page_ ? page_->memory_bytes() : 0) + (dictionary_ ? dictionary_->memory_bytes() : 0);
}

/// Goes to the next page with data; false at the end. Pages of rows that are skipped are not unpacked.
bool ColumnCursor::next_page(std::uint64_t& skippable) {
  page_.reset();
  for (;;) {
    header_ = walk_.next();
    if (!header_) return false;
    if (header_->is_data() && column_.repeats == 0 && header_->values <= skippable) {
      skippable -= header_->values;
      continue;
    }
    if (header_->memory_bytes(packing_) > most_page_bytes_)
      throw Error(fmt::format("takes {} of memory, and at most {} are allowed for a page of this column",
                              base::format_size(header_->memory_bytes(packing_)),
                              base::format_size(most_page_bytes_)));
    if (!header_->is_data()) {
      dictionary_ = load_dictionary(file_, *header_, packing_, column_);
      continue;
    }
    page_ = std::make_unique<DataPage>(column_, *header_, load_page(file_, *header_, packing_), dictionary_);
    return true;
  }
}

const Entry* ColumnCursor::current() {
  if (failure_) throw Error(*failure_);
  if (current_) return &*current_;
  try {
    std::uint64_t none = 0;
    while (!page_ || page_->left() == 0) {
      if (!next_page(none)) return nullptr;
    }
    current_ = page_->next();
    return &*current_;
  } catch (const Error& error) {
    fail(error);
  }
}

void ColumnCursor::skip_rows(std::uint64_t rows) {
  if (failure_) throw Error(*failure_);
  while (rows > 0) {
    if (!current_ && (!page_ || page_->left() == 0)) {
      try {
        next_page(rows);
      } catch (const Error& error) {
        fail(error);
      }
      if (rows == 0) return;
    }
    if (current() == nullptr) return;
    advance();
    --rows;
    while (column_.repeats > 0 && current() != nullptr && current()->repetition > 0) advance();
  }
}

}  // namespace shardmill::parquet
