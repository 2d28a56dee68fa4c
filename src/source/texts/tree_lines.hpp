// TreeLines: the lines of a text file of a tree, checked to be text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/json_reader.hpp"
#include "source/texts/corpus_text.hpp"
#include "source/tree_corpus.hpp"

namespace shardmill::source {

class TreeLines {
 public:
  /// `text` must outlive it.
  explicit TreeLines(const TreeText& text) : text_(text), rest_(text.content) {}

  /// The next line that is not blank, without the blanks, tabs and CR around it. Throws Error, with line and
  /// column, for text that is not UTF-8 and for control characters.
  bool next(std::string_view& line);
  /// The same with its blanks and tabs: the first field of a row may be empty.
  bool next_row(std::string_view& line);
  std::uint64_t line_number() const noexcept { return line_number_; }
  /// The same error with the file and the line.
  Error here(const Error& error) const;

 private:
  const TreeText& text_;
  std::string_view rest_;
  std::uint64_t line_number_ = 0;
  CharacterCheck characters_;
};

/// Whether lines keep the blanks and tabs at their ends: a last field may be empty.
enum class Blanks { cut, kept };

/// Calls `use(line, line_number)` for each line. An Error that it throws gets the file and the line.
template <Blanks kBlanks = Blanks::cut, typename Use>
void for_each_line(const TreeText& text, Use use) {
  TreeLines lines(text);
  for (std::string_view line; kBlanks == Blanks::cut ? lines.next(line) : lines.next_row(line);) {
    try {
      use(line, lines.line_number());
    } catch (const Error& error) {
      throw lines.here(error);
    }
  }
}

/// A table with a header: which column has which name.
class TreeColumns {
 public:
  TreeColumns(std::string_view header, char delimiter);
  explicit TreeColumns(std::vector<std::string> names) : names_(std::move(names)) {}

  std::size_t size() const noexcept { return names_.size(); }

  std::optional<std::size_t> find(std::string_view name) const;
  /// Throws Error where there is no such column.
  std::size_t at(std::string_view name) const;

 private:
  std::vector<std::string> names_;
};

/// The fields between the delimiters, without blanks around them.
std::vector<std::string_view> split_fields(std::string_view line, char delimiter);

/// A row of a table with a header.
class TreeRow {
 public:
  TreeRow(const TreeColumns& columns, std::string_view line, char delimiter, std::uint64_t line_number)
      : columns_(columns), fields_(split_fields(line, delimiter)), line_number_(line_number) {}

  /// Empty where the table has no such column, or the row ends before it.
  std::string_view operator[](std::string_view column) const;
  bool has(std::string_view column) const { return columns_.find(column).has_value(); }
  /// Throws Error where the row has other fields than the header: it was cut, or its fields are shifted.
  void check_size() const;
  std::uint64_t line_number() const noexcept { return line_number_; }

 private:
  const TreeColumns& columns_;
  std::vector<std::string_view> fields_;
  std::uint64_t line_number_;
};

/// Calls `use(row)` for each row below the header; false where there is not even a header. The table must
/// have the columns `needed`, and each row as many fields as the header. Throws Error with the file and the
/// line; errors of `use` get these, too.
template <typename Use>
bool for_each_row(const TreeText& text, char delimiter, const std::vector<std::string_view>& needed,
                  Use use) {
  TreeLines lines(text);
  std::string_view line;
  if (!lines.next_row(line)) return false;
  const TreeColumns columns(line, delimiter);
  try {
    for (const std::string_view name : needed) columns.at(name);
    while (lines.next_row(line)) {
      const TreeRow row(columns, line, delimiter, lines.line_number());
      row.check_size();
      use(row);
    }
  } catch (const Error& error) {
    throw lines.here(error);
  }
  return true;
}

/// Calls `use` with each element of the array `name` of a JSON object (empty: the text is the array itself).
/// Only one element is held at a time, so that the text may be large. Throws Error, with the file.
void for_each_json_element(const TreeText& text, std::string_view name,
                           const std::function<void(const base::JsonValue& element)>& use);

class CsvRow {
 public:
  CsvRow(const TreeColumns& columns, std::vector<std::string> fields, std::uint64_t line_number)
      : columns_(columns), fields_(std::move(fields)), line_number_(line_number) {}

  /// Empty where the table has no such column.
  std::string_view operator[](std::string_view column) const;
  std::uint64_t line_number() const noexcept { return line_number_; }

 private:
  const TreeColumns& columns_;
  std::vector<std::string> fields_;
  std::uint64_t line_number_;  // where it begins
};

/// As for_each_row(); fields may be quoted, and hold line breaks then.
void for_each_csv_row(const TreeText& text, const std::vector<std::string_view>& needed,
                      const std::function<void(const CsvRow& row)>& use);

}  // namespace shardmill::source
