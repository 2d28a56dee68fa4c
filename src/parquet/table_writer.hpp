// TableWriter: writes a Parquet file row by row, and keeps no more than a page of its largest column in
// memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace shardmill::parquet {

using Sink = std::function<void(std::string_view bytes)>;

enum class ValueKind { boolean, int64, float64, bytes, text };

/// A null, or a value of the kind of its column; bytes and texts are views.
using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string_view>;

struct Column {
  std::string name;
  ValueKind kind = ValueKind::text;
  std::string group{};  // the struct that it belongs to, or empty; columns of a struct are neighbours

  /// The number of levels that may be null: the column, and its struct if it has one.
  std::uint8_t highest_level() const noexcept { return group.empty() ? 1 : 2; }
};

/// Parquet and Arrow count the bytes of a page, or of a value, in 31 bits. A page also has levels and sizes.
inline constexpr std::size_t kHighestValueBytes = std::numeric_limits<std::int32_t>::max() - (1 << 20);

/// Values of one column, in the encoding PLAIN, until they become a page of the file. One thread at a time.
class Page {
 public:
  explicit Page(const Column& column) : kind_(column.kind), level_(column.highest_level()) {}

  /// Throws std::bad_variant_access for a value of another kind.
  void add(const Value& value);
  std::size_t rows() const noexcept { return rows_; }
  /// The bytes of the values; the page is a little larger.
  std::size_t bytes() const noexcept { return values_.size(); }
  /// Passes the page with its header to `sink`, piece by piece, and returns its size in bytes. The page is
  /// empty afterwards. Throws Error if it is too large for the format.
  std::uint64_t write(const Sink& sink);

 private:
  void add_boolean(bool value);

  ValueKind kind_;
  std::uint8_t level_;  // of a value; a null has one less
  std::size_t rows_ = 0;
  std::size_t booleans_ = 0;                                    // eight in a byte, without the nulls
  std::vector<std::pair<std::uint64_t, std::uint8_t>> levels_;  // the length and the level of each run
  std::string values_;
};

/// One entry of the file's own metadata.
struct Note {
  std::string key;
  std::string value;
};

/// A group of rows, and a page of the first column, ends with the row that reaches one of these limits.
struct GroupLimits {
  std::size_t rows = 100;
  std::size_t bytes = std::size_t{64} << 20;
  std::size_t page_bytes = std::size_t{1} << 20;
};

/// The first column may hold much more than the others: its pages are written while a group of rows grows,
/// and the pages of the other columns when the group is full. Nothing is compressed. The same rows and limits
/// give the same bytes. One thread at a time.
class TableWriter {
 public:
  /// All values may be null, as in Arrow.
  TableWriter(std::vector<Column> columns, std::vector<Note> notes, Sink sink,
              const GroupLimits& limits = {});

  /// One value for each column. Throws Error for a value that is too large for the format.
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
  std::vector<Page> pages_;    // of each column, not written yet
  std::vector<Chunk> chunks_;  // of each column, the part of this group that is in the file
  std::uint64_t written_ = 0;
  std::uint64_t rows_ = 0;
  std::size_t group_rows_ = 0;
  std::size_t group_bytes_ = 0;
  std::size_t groups_ = 0;
  std::string described_groups_;  // for the footer
};

}  // namespace shardmill::parquet
