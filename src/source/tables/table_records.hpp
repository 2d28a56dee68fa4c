// TableRecords: the rows of a table in a text file, whole and checked to be text; fields_of_record() splits
// one that is no JSON.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/io/line_reader.hpp"
#include "source/texts/corpus_text.hpp"

namespace shardmill::source {

/// The fields without their quotes, or else without the blanks around them. Throws Error for a quote that is
/// not closed or not followed by a comma.
std::vector<std::string> csv_fields(std::string_view record, char comma = ',');

/// Tabs and bars (|) separate fields that cannot be quoted, commas and semicolons the fields of a CSV.
enum class TableKind { json_lines, tsv, bars, csv, semicolons };

/// Throws Error, see csv_fields().
std::vector<std::string> fields_of_record(TableKind kind, std::string_view record);

/// Opens a table; one that is compressed is unpacked into a file without a name, which is called as the table
/// is. Throws Error when the file cannot be read, or is no text.
base::File open_table(const std::string& path);

/// Larger rows are an error: a quote that is never closed is found out so.
inline constexpr std::uint64_t kLongestRecord = std::uint64_t{1} << 20;

/// Throws Error for a file that is one JSON array of objects.
void check_no_array(const std::string& path);

/// A row again, as TableRecords gave it. Any thread may call it. Throws Error.
std::string read_record(const base::File& file, std::uint64_t offset, std::uint64_t bytes);
/// The number of the line that begins at `offset`, from 1.
std::uint64_t line_number_at(const base::File& file, std::uint64_t offset);

bool ends_with_a_line(const base::File& file);
/// A sentence about a table that ends inside its last line, which may be cut; empty if it does not, and for
/// JSON lines, of which no part can be read.
std::string doubt_of_end(const base::File& table, TableKind kind);

class TableRecords {
 public:
  /// `file`: see open_table(). Throws Error when it cannot be read, is empty, or holds one JSON array.
  explicit TableRecords(const base::File& file);

  TableKind kind() const noexcept { return kind_; }

  /// The next row that is not blank, without the end of its line; of a CSV, with all lines that its quotes
  /// hold together: a line whose quote is not closed by one that ends a field is a row of its own, and no
  /// good one. Throws Error, with the line, for text that is not UTF-8 and for control characters.
  bool next(std::string& record);
  /// The same, but after the first row it passes over lines that are no text, and calls back for each.
  bool next_good(std::string& record, const std::function<void(const Error&)>& bad);
  /// Of the row that next() gave last: where it begins in the file, how many bytes it has there, its line.
  std::uint64_t offset() const noexcept { return offset_; }
  std::uint64_t bytes() const noexcept { return next_offset_ - offset_; }
  std::uint64_t line() const noexcept { return line_; }
  /// The same error with the file and the line of that row.
  Error here(const Error& error) const;

 private:
  struct Line {
    std::string text;
    std::uint64_t number = 0;
    std::uint64_t end = 0;  // where the next one begins
    std::optional<Error> damage{};
  };

  std::optional<Line> next_line();
  void join_lines(std::string& record);
  void skip_mark(std::string_view& line) const;

  TableKind kind_ = TableKind::tsv;
  base::LineReader lines_;  // begins when kind_ is known
  std::uint64_t end_ = 0;   // of the lines that it gave
  std::deque<Line> ahead_;  // that come next, before its own
  std::uint64_t offset_ = 0;
  std::uint64_t next_offset_ = 0;
  std::uint64_t line_ = 0;
  CharacterCheck characters_;
  bool has_good_ = false;   // a row came
  bool may_go_on_ = false;  // what next() throws is about one line
};

/// The second row of a table; empty if the table has only one, or cannot be read.
std::string second_row(const base::File& file);

/// True when the quotes of a CSV row are closed at its end.
bool has_closed_quotes(std::string_view record);

}  // namespace shardmill::source
