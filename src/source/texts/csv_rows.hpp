// for_each_csv_row: a CSV with a header among the texts of a tree.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "source/texts/tree_lines.hpp"

namespace shardmill::source {

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

/// As for_each_row(); fields may stand in quotes, and hold line breaks then.
void for_each_csv_row(const TreeText& text, const std::vector<std::string_view>& needed,
                      const std::function<void(const CsvRow& row)>& use);

}  // namespace shardmill::source
