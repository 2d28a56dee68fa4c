// RowReader: the rows of a group, column by column, as JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/io/file.hpp"
#include "parquet/column.hpp"
#include "parquet/file_metadata.hpp"

namespace shardmill::parquet {

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
  void skip_null(std::size_t node);
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
