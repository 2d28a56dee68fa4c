#include "source/texts/tree_lines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/letters.hpp"
#include "base/text/units.hpp"
#include "source/tables/table_records.hpp"
#include "source/texts/corpus_text.hpp"

namespace shardmill::source {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view without_mark(std::string_view text, const std::string& place) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    throw Error("is UTF-16, not UTF-8", at(place), "convert the file: iconv -f UTF-16 -t UTF-8");
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

/// Finds the elements of an array in JSON text without parsing the whole of it.
class ElementFinder {
 public:
  ElementFinder(const TreeText& text, std::string_view name)
      : text_(text), rest_(without_mark(text.content, text.place)) {
    skip_blanks();
    if (!name.empty()) enter_member(name);
    expect('[');
  }

  /// The next element; empty at the end of the array.
  std::string_view next() {
    skip_blanks();
    if (rest_.starts_with(']')) return {};
    if (!is_first_) {
      expect(',');
      skip_blanks();
    }
    is_first_ = false;
    return take_value();
  }

 private:
  [[noreturn]] void refuse(std::string_view problem) const {
    throw Error(fmt::format("{} at byte {}", problem, text_.content.size() - rest_.size()), at(text_.place));
  }

  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size())); }

  void expect(char c) {
    skip_blanks();
    if (!rest_.starts_with(c)) refuse(fmt::format("is not the JSON that was expected: '{}' is missing", c));
    rest_.remove_prefix(1);
  }

  void enter_member(std::string_view name) {
    expect('{');
    for (;;) {
      skip_blanks();
      const std::string_view key = take_value();
      expect(':');
      skip_blanks();
      if (key == fmt::format("\"{}\"", name)) return;
      take_value();
      skip_blanks();
      if (!rest_.starts_with(',')) refuse(fmt::format("has no member '{}'", name));
      rest_.remove_prefix(1);
    }
  }

  std::size_t string_end(std::size_t begin) const {
    for (std::size_t i = begin + 1; i < rest_.size(); ++i) {
      if (rest_[i] == '\\') {
        ++i;
      } else if (rest_[i] == '"') {
        return i + 1;
      }
    }
    refuse("is JSON that ends inside a text");
  }

  std::string_view take_value() {
    std::size_t depth = 0;
    std::size_t i = 0;
    while (i < rest_.size()) {
      const char c = rest_[i];
      if (c == '"') {
        i = string_end(i);
        if (depth == 0) break;
        continue;
      }
      const bool is_close = c == '}' || c == ']';
      if (depth == 0 && (c == ',' || is_close)) break;
      ++i;
      if (c == '{' || c == '[') ++depth;
      if (is_close && --depth == 0) break;
    }
    if (i == 0 || depth > 0) refuse("is JSON that ends too early");
    const std::string_view value = rest_.substr(0, i);
    rest_.remove_prefix(i);
    return value;
  }

  const TreeText& text_;
  std::string_view rest_;
  bool is_first_ = true;
};

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

bool TreeLines::next_row(std::string_view& line) {
  while (!rest_.empty()) {
    if (line_number_ == 0) rest_ = without_mark(rest_, text_.place);
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++line_number_;
    try {
      characters_.check(line, rest_);
    } catch (const Error& error) {
      throw here(error);
    }
    if (line.find_first_not_of(kBlanks) != std::string_view::npos) return true;
  }
  return false;
}

bool TreeLines::next(std::string_view& line) {
  if (!next_row(line)) return false;
  line = base::trimmed(line, kBlanks);
  return true;
}

Error TreeLines::here(const Error& error) const {
  Where where = error.where();
  if (where.path.empty()) where.path = text_.place;
  return Error(fmt::format("line {}: {}", line_number_, error.problem()), std::move(where), error.advice(),
               error.remedy());
}

TreeColumns::TreeColumns(std::string_view header, char delimiter) {
  for (const std::string_view name : split_fields(header, delimiter)) names_.emplace_back(name);
}

std::optional<std::size_t> TreeColumns::find(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names_.begin());
}

std::size_t TreeColumns::at(std::string_view name) const {
  if (const auto column = find(name)) return *column;
  std::string known;
  for (const std::string& each : names_) known += (known.empty() ? "" : ", ") + printable(each);
  throw Error(fmt::format("has no column '{}': its columns are {}", name, known));
}

std::vector<std::string_view> split_fields(std::string_view line, char delimiter) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t end = line.find(delimiter);
    fields.push_back(base::trimmed(line.substr(0, end), kBlanks));
    if (end == std::string_view::npos) return fields;
    line.remove_prefix(end + 1);
  }
}

void TreeRow::check_size() const {
  if (fields_.size() != columns_.size())
    throw Error(fmt::format("has {}, and the header has {}", base::format_count(fields_.size(), "field"),
                            base::format_count(columns_.size())),
                {}, "the table was cut or changed: copy it again, or mend the line");
}

std::string_view TreeRow::operator[](std::string_view column) const {
  const auto number = columns_.find(column);
  return number && *number < fields_.size() ? fields_[*number] : std::string_view();
}

void for_each_json_element(const TreeText& text, std::string_view name,
                           const std::function<void(const base::JsonValue& element)>& use) {
  ElementFinder finder(text, name);
  base::JsonParser parser;
  std::uint64_t number = 0;
  for (std::string_view element = finder.next(); !element.empty(); element = finder.next()) {
    ++number;
    try {
      use(parser.parse(element));
    } catch (const Error& error) {
      throw Error(fmt::format("element {}: {}", number, error.problem()), at(text.place), error.advice(),
                  error.remedy());
    }
  }
}

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
                    "put a field that holds a comma in quotes");
      use(CsvRow(columns, std::move(fields), records.line_number()));
    }
  } catch (const Error& error) {
    throw records.here(error);
  }
}

}  // namespace shardmill::source
