// TableWriter: writes a Parquet file row by row, and keeps no more than a page of its largest column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parquet/column.hpp"

namespace shardmill::parquet {

/// One entry of the file's own metadata.
struct Note {
  std::string key;
  std::string value;
};

/// Where a group of rows ends, and where a page of the first column does: with the row that reaches one of
/// these.
struct GroupLimits {
  std::size_t rows = 100;
  std::size_t bytes = std::size_t{64} << 20;
  std::size_t page_bytes = std::size_t{1} << 20;
};

/// The first column may hold much more than the others: its pages go out while a group of rows grows, and
/// those of the other columns when the group is full. Nothing is compressed. The same rows and limits give
/// the same bytes. One thread at a time.
class TableWriter {
 public:
  /// Columns may be null everywhere, as Arrow has them.
  TableWriter(std::vector<Column> columns, std::vector<Note> notes, Sink sink,
              const GroupLimits& limits = {});

  /// One value for each column. Throws Error for a value that is too large for the form.
  void add(std::span<const Value> row);
  /// Nothing may be added afterwards.
  void finish();

 private:
  struct Chunk {
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
  };

  void write(std::string_view bytes);
  void write_page(std::size_t column);
  void end_group();
  void describe_group();
  std::string footer() const;

  std::vector<Column> columns_;
  std::vector<Note> notes_;
  Sink sink_;
  GroupLimits limits_;
  std::vector<Page> pages_;    // of each column, what was not written yet
  std::vector<Chunk> chunks_;  // of each column, what of this group is in the file
  std::uint64_t written_ = 0;
  std::uint64_t rows_ = 0;
  std::size_t group_rows_ = 0;
  std::size_t group_bytes_ = 0;
  std::size_t groups_ = 0;
  std::string described_groups_;  // for the footer
};

}  // namespace shardmill::parquet
