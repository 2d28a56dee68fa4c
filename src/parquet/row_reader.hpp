// DataPage and ColumnCursor: the values of a column one after the other, with their levels. RowReader: the
// rows of a group, column by column, as JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "parquet/file_metadata.hpp"
#include "parquet/page.hpp"
#include "parquet/values.hpp"

namespace shardmill::parquet {

/// A value, or a null or an empty list, by its levels.
struct Entry {
  std::uint32_t repetition = 0;
  std::uint32_t definition = 0;
  std::optional<Scalar> value{};  // if the definition is that of the leaf
};

/// The entries of one page with data. One thread at a time.
class DataPage {
 public:
  /// `column` must outlive it. Throws Error, without a place, for damage.
  DataPage(const SchemaNode& column, const PageHeader& header, PageBody&& body,
           std::shared_ptr<const Dictionary> dictionary);

  std::uint32_t left() const noexcept { return left_; }
  std::uint64_t memory_bytes() const noexcept { return body_.bytes.size(); }
  /// The bytes of the value are valid until the next call. Throws Error, without a place, for damage.
  Entry next();

 private:
  HybridDecoder levels(std::span<const std::byte>& rest, std::uint32_t highest, Encoding encoding) const;

  const SchemaNode& column_;
  PageBody body_;
  HybridDecoder repetitions_;
  HybridDecoder definitions_;
  std::unique_ptr<ValueDecoder> values_;
  std::uint32_t left_;
};

/// Reads the dictionary page of a column. Throws Error, with the place, for damage.
std::shared_ptr<const Dictionary> load_dictionary(const base::File& file, const PageHeader& header,
                                                  Packing packing, const SchemaNode& column);

/// All entries of one chunk of a column; it holds one page at a time. One thread at a time.
class ColumnCursor {
 public:
  /// A page that is larger than `most_page_bytes` is an error. The first two must outlive it.
  ColumnCursor(const base::File& file, const FileMetadata& metadata, std::size_t group, std::size_t leaf,
               std::uint64_t most_page_bytes);

  /// The current entry; null after the last one. Valid until advance(). Throws Error, with the place and the
  /// name of the column, for damage, and then again at each call.
  const Entry* current();
  void advance() { current_.reset(); }
  /// Skips rows from the beginning of one on.
  void skip_rows(std::uint64_t rows);

  const SchemaNode& column() const noexcept { return column_; }
  /// Its page, for errors.
  Where where() const;
  /// Of the page and the dictionary that it holds.
  std::uint64_t memory_bytes() const noexcept;

 private:
  bool next_page(std::uint64_t& skippable);
  [[noreturn]] void fail(const Error& error);

  const base::File& file_;
  const SchemaNode& column_;
  std::string name_;
  Packing packing_;
  std::uint64_t begin_;
  std::uint64_t most_page_bytes_;
  PageWalk walk_;
  std::shared_ptr<const Dictionary> dictionary_;
  std::optional<PageHeader> header_;
  std::unique_ptr<DataPage> page_;
  std::optional<Entry> current_;
  std::optional<Error> failure_;
};

/// A value of a column of the table, which may be a struct, a list or a map.
struct Field {
  std::string json;          // "null" if there is no value
  std::string text;          // of a column of texts, the value itself
  bool is_left_out = false;  // it holds bytes that are no text
};

/// Appends a value as JSON: dates and times as in ISO 8601, decimals with all their digits, UUIDs as texts,
/// bytes of no fixed size as a text if they are UTF-8. Returns false, and appends null, for other bytes.
bool append_json(std::string& out, const SchemaNode& column, const Scalar& value);

/// One thread at a time.
class RowReader {
 public:
  /// `columns`: children of the table, by their nodes. See ColumnCursor for the rest.
  RowReader(const base::File& file, const FileMetadata& metadata, std::size_t group,
            std::vector<std::size_t> columns, std::uint64_t most_page_bytes);

  /// The number of the next row in the group.
  std::uint64_t row() const noexcept { return row_; }
  /// Goes on to a later row.
  void skip_to(std::uint64_t row);
  /// The fields of the next row, in the order of the columns; valid until the next call. Throws Error, with
  /// the place, for damage; the reader cannot go on after that.
  const std::vector<Field>& next();
  /// Of the pages and dictionaries that it holds.
  std::uint64_t memory_bytes() const noexcept;

 private:
  void read(std::size_t node, std::string& out);
  void read_present(const SchemaNode& node, std::string& out);
  void for_each_element(std::size_t node, const std::function<void()>& read_element);
  void read_array(std::size_t node, bool is_wrapped, std::string& out);
  void read_list(const SchemaNode& list, std::string& out);
  void read_map(const SchemaNode& map, std::string& out);
  void read_object(const SchemaNode& node, std::string& out);
  void skip_null(std::size_t node, std::uint32_t level);
  const Entry& first_entry(std::size_t node);
  std::size_t first_leaf(std::size_t node) const;

  const FileMetadata& metadata_;
  std::vector<std::size_t> columns_;
  std::vector<std::unique_ptr<ColumnCursor>> cursors_;  // by leaf; null: of a column that is not read
  std::vector<Field> fields_;
  bool is_left_out_ = false;
  std::uint64_t row_ = 0;
};

}  // namespace shardmill::parquet
