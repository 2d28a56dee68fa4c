#include "source/texts/csv_rows.hpp"

#include <fmt/format.h>

#include "source/tables/csv_fields.hpp"
#include "source/tables/table_records.hpp"

namespace shardmill::source {

namespace {

/// Lines that belong together, because a quote is open at the end of the first.
class Records {
 public:
  explicit Records(const TreeText& text) : lines_(text) {}

  bool next(std::string& record) {
    std::string_view line;
    if (!lines_.next_row(line)) return false;
    record = line;
    line_number_ = lines_.line_number();
    while (!has_closed_quotes(record)) {
      if (record.size() > kLongestRecord || !lines_.next_row(line))
        throw lines_.here(Error(fmt::format("a quote was opened in line {} and is not closed", line_number_),
                                {}, "a quote inside of a field is doubled"));
      record.append("\n").append(line);
    }
    if (record.ends_with('\r')) record.pop_back();
    return true;
  }

  std::uint64_t line_number() const noexcept { return line_number_; }
  Error here(const Error& error) const { return lines_.here(error); }

 private:
  TreeLines lines_;
  std::uint64_t line_number_ = 0;
};

}  // namespace

std::string_view CsvRow::operator[](std::string_view column) const {
  const auto number = columns_.find(column);
  return number && *number < fields_.size() ? std::string_view(fields_[*number]) : std::string_view();
}

void for_each_csv_row(const TreeText& text, const std::vector<std::string_view>& needed,
                      const std::function<void(const CsvRow& row)>& use) {
  Records records(text);
  std::string record;
  if (!records.next(record)) return;
  const TreeColumns columns(csv_fields(record));
  try {
    for (const std::string_view name : needed) columns.at(name);
    while (records.next(record)) {
      std::vector<std::string> fields = csv_fields(record);
      if (fields.size() != columns.size())
        throw Error(fmt::format("has {} fields, and the header has {}", fields.size(), columns.size()), {},
                    "a field that holds a comma stands in quotes");
      use(CsvRow(columns, std::move(fields), records.line_number()));
    }
  } catch (const Error& error) {
    throw records.here(error);
  }
}

}  // namespace shardmill::source
