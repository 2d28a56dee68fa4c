#include "parquet/column.hpp"

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "base/error.hpp"
#include "base/text/units.hpp"

namespace shardmill::parquet {

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

/// Of a page of version 1, whose levels begin with their size.
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
