#include "source/tables/table_records.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

#include "archive/container.hpp"
#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/text/letters.hpp"
#include "codec/codec.hpp"
#include "source/archive_entries.hpp"
#include "source/texts/corpus_text.hpp"

namespace shardmill::source {

namespace {

constexpr std::string_view kOpenQuote = "a quote is opened and not closed";

/// Takes a field in quotes off `rest` and returns its content.
std::string quoted_field(std::string_view& rest, char comma) {
  std::string field;
  for (;;) {
    rest.remove_prefix(1);
    const std::size_t end = rest.find('"');
    if (end == std::string_view::npos)
      throw Error(std::string(kOpenQuote), {}, "double a quote inside a field");
    field += rest.substr(0, end);
    rest.remove_prefix(end + 1);
    if (!rest.starts_with('"')) break;
    field += '"';
  }
  const std::size_t next = std::min(rest.find_first_not_of(" \t"), rest.size());
  if (next < rest.size() && rest[next] != comma)
    throw Error("a field continues after its closing quote", {}, "double a quote inside a field");
  rest.remove_prefix(next);
  return field;
}

constexpr std::string_view kMark = "\xEF\xBB\xBF";

/// A tab decides, or else the first separator.
TableKind kind_of_line(std::string_view line) {
  if (line.find('\t') != std::string_view::npos) return TableKind::tsv;
  const std::size_t at = line.find_first_of(",;|");
  if (at == std::string_view::npos || line[at] == ',') return TableKind::csv;
  return line[at] == ';' ? TableKind::semicolons : TableKind::bars;
}

Error array_error(const std::string& path) {
  return Error("is one JSON array, and a table has an object on each line", at(path),
               "write one object a line: jq -c '.[]'");
}

/// By the first line that is not blank.
TableKind kind_of(const base::File& file) {
  const std::string& path = file.path();
  base::LineReader lines(file, 0);
  for (std::string_view line; lines.next(line);) {
    if (lines.line_number() == 1 && line.starts_with(kMark)) line.remove_prefix(kMark.size());
    const std::size_t begin = line.find_first_not_of(" \r");
    if (begin == std::string_view::npos) continue;
    if (line[begin] == '{') return TableKind::json_lines;
    if (line[begin] == '[') throw array_error(path);
    return kind_of_line(line);
  }
  throw Error("is a table without rows", at(path));
}

}  // namespace

namespace {

/// The last character; none of an empty file.
char last_of(const base::File& file) {
  std::array<char, 1> last{};
  const bool has_any =
      file.size() != 0 && file.read_at(std::as_writable_bytes(std::span(last)), file.size() - 1) == 1;
  return has_any ? last.front() : '\0';
}

}  // namespace

bool ends_with_a_line(const base::File& file) {
  return last_of(file) == '\n';
}

std::string doubt_of_end(const base::File& table, TableKind kind) {
  // A quote at the end closes the last field.
  const bool has_quotes = kind == TableKind::csv || kind == TableKind::semicolons;
  const char last = last_of(table);
  const bool is_ended = last == '\n' || last == '\r' || (has_quotes && last == '"');
  const bool may_be_cut = kind != TableKind::json_lines && !is_ended;
  return may_be_cut ? "has no end of its last line: the last text or time may be cut" : "";
}

namespace {

/// Whether quotes stand around the field, and all others in it are doubled.
bool is_quoted(std::string_view field) {
  if (field.size() < 2 || field.front() != '"' || field.back() != '"') return false;
  field = field.substr(1, field.size() - 2);
  for (auto quote = field.find('"'); quote != field.npos; quote = field.find('"', quote + 2)) {
    if (quote + 1 == field.size() || field[quote + 1] != '"') return false;
  }
  return true;
}

std::string without_quotes(std::string_view field) {
  std::string text(field.substr(1, field.size() - 2));
  for (auto quote = text.find('"'); quote != text.npos; quote = text.find('"', quote + 1))
    text.erase(quote, 1);
  return text;
}

/// Writers of CSV put quotes around fields with quotes, which they double, or around all fields. Quotes in
/// other places are of the text.
void undo_quotes(std::vector<std::string>& fields) {
  const bool are_all_quoted = fields.size() > 1 && std::ranges::all_of(fields, is_quoted);
  for (std::string& field : fields) {
    const bool has_doubled = field.size() > 2 && field.substr(1, field.size() - 2).find("\"\"") != field.npos;
    if (is_quoted(field) && (are_all_quoted || has_doubled)) field = without_quotes(field);
  }
}

std::vector<std::string> plain_fields(std::string_view record, char delimiter) {
  std::vector<std::string> fields;
  for (;;) {
    const std::size_t end = record.find(delimiter);
    fields.emplace_back(base::trimmed(record.substr(0, end), " \t"));
    if (end == std::string_view::npos) return fields;
    record.remove_prefix(end + 1);
  }
}

bool has_quotes(TableKind kind) {
  return kind == TableKind::csv || kind == TableKind::semicolons;
}

}  // namespace

std::vector<std::string> csv_fields(std::string_view record, char comma) {
  std::vector<std::string> fields;
  for (;;) {
    record.remove_prefix(std::min(record.find_first_not_of(" \t"), record.size()));
    if (record.starts_with('"')) {
      fields.push_back(quoted_field(record, comma));
    } else {
      const std::size_t end = std::min(record.find(comma), record.size());
      fields.emplace_back(base::trimmed(record.substr(0, end), " \t"));
      record.remove_prefix(end);
    }
    if (record.empty()) return fields;
    record.remove_prefix(1);
  }
}

std::vector<std::string> fields_of_record(TableKind kind, std::string_view record) {
  if (kind == TableKind::tsv || kind == TableKind::bars) {
    std::vector<std::string> fields = plain_fields(record, kind == TableKind::tsv ? '\t' : '|');
    undo_quotes(fields);
    return fields;
  }
  return csv_fields(record, kind == TableKind::semicolons ? ';' : ',');
}

namespace {

/// True if a field in quotes goes on in the next line.
bool ends_in_quotes(TableKind kind, std::string_view record) {
  try {
    fields_of_record(kind, record);
    return false;
  } catch (const Error& error) {
    return error.problem() == kOpenQuote;
  }
}

bool is_row(TableKind kind, std::string_view record) {
  try {
    fields_of_record(kind, record);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

bool has_closed_quotes(std::string_view record) {
  // A doubled quote inside of quotes opens and closes at once.
  return std::count(record.begin(), record.end(), '"') % 2 == 0;
}

base::File open_table(const std::string& path) {
  base::File file = base::File::open_read(path);
  std::array<std::byte, std::max(codec::kDetectBytes, archive::kContainerMagicBytes)> first{};
  const std::size_t got = file.read_at(first, 0);
  if (const auto format = archive::container_format(first); !format.empty()) {
    throw Error(fmt::format("is an archive ({}), and a table must be a text", format), at(path),
                "unpack it first");
  }
  if (codec::detect(std::span(first).first(got)) == codec::Codec::none) return file;
  const auto space = std::make_shared<ScratchSpace>(file.size());
  base::File scratch = space->file();
  const auto reader = codec::open(file);
  while (const auto piece = reader->next()) {
    piece->prepare();
    for (auto bytes = piece->read(); !bytes.empty(); bytes = piece->read()) {
      space->take(bytes.size());
      scratch.write(bytes);
    }
  }
  scratch.seek(0);
  const int descriptor = ::fcntl(scratch.descriptor(), F_DUPFD_CLOEXEC, 0);
  if (descriptor < 0) throw system_error("cannot read", path);
  return {descriptor, path};
}

void check_no_array(const std::string& path) {
  std::array<char, 256> first{};
  const std::size_t got = base::File::open_read(path).read_at(std::as_writable_bytes(std::span(first)), 0);
  std::string_view text(first.data(), got);
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  const auto next = [&] {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    const char c = text.empty() ? '\0' : text.front();
    text.remove_prefix(std::min<std::size_t>(1, text.size()));
    return c;
  };
  if (next() == '[' && next() == '{') throw array_error(path);
}

std::uint64_t line_number_at(const base::File& file, std::uint64_t offset) {
  std::uint64_t line = 1;
  std::vector<std::byte> bytes(std::size_t{1} << 20);
  for (std::uint64_t at = 0; at < offset;) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), offset - at));
    const std::size_t got = file.read_at(std::span(bytes).first(wanted), at);
    if (got == 0) break;
    line += static_cast<std::uint64_t>(
        std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(got), std::byte{'\n'}));
    at += got;
  }
  return line;
}

std::string read_record(const base::File& file, std::uint64_t offset, std::uint64_t bytes) {
  std::string text(bytes, '\0');
  if (file.read_at(std::as_writable_bytes(std::span(text)), offset) != text.size())
    throw Error("became shorter while it was used", at(file.path()));
  if (text.ends_with('\n')) text.pop_back();
  if (offset == 0 && text.starts_with(kMark)) text.erase(0, kMark.size());
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool ends_line = i + 1 == text.size() || text[i + 1] == '\n';
    if (text[i] != '\r' || !ends_line) plain += text[i];
  }
  return plain;
}

TableRecords::TableRecords(const base::File& file) : kind_(kind_of(file)), lines_(file, 0) {}

Error TableRecords::here(const Error& error) const {
  Where where = error.where();
  if (where.path.empty()) where.path = lines_.path();
  return Error(fmt::format("line {}: {}", line_, error.problem()), std::move(where), error.advice());
}

void TableRecords::skip_mark(std::string_view& line) const {
  if (line.starts_with("\xFF\xFE") || line.starts_with("\xFE\xFF"))
    throw Error("is UTF-16, not UTF-8", at(lines_.path()), "convert the file: iconv -f UTF-16 -t UTF-8");
  if (line.starts_with(kMark)) line.remove_prefix(kMark.size());
}

std::optional<TableRecords::Line> TableRecords::next_line() {
  if (!ahead_.empty()) {
    Line line = std::move(ahead_.front());
    ahead_.pop_front();
    return line;
  }
  std::string_view line;
  if (!lines_.next(line)) return std::nullopt;
  end_ += line.size() + (lines_.line_was_ended() ? 1 : 0);
  if (lines_.line_number() == 1) skip_mark(line);
  std::optional<Error> damage;
  try {
    characters_.check(line, lines_.ahead());
  } catch (const Error& error) {
    damage = lines_.here(error);
  }
  if (line.ends_with('\r')) line.remove_suffix(1);
  return Line{.text = std::string(line), .number = lines_.line_number(), .end = end_, .damage = damage};
}

bool TableRecords::next(std::string& record) {
  std::optional<Line> line;
  do {
    offset_ = next_offset_;
    may_go_on_ = false;
    line = next_line();
    if (!line) return false;
    next_offset_ = line->end;
    line_ = line->number;
    may_go_on_ = true;
    if (line->damage) throw Error(*line->damage);
  } while (line->text.find_first_not_of(" \t") == std::string::npos);
  record = std::move(line->text);
  if (has_quotes(kind_) && ends_in_quotes(kind_, record)) join_lines(record);
  if (bytes() > kLongestRecord) throw here(Error(fmt::format("is longer than {} bytes", kLongestRecord)));
  has_good_ = true;
  return true;
}

bool TableRecords::next_good(std::string& record, const std::function<void(const Error&)>& bad) {
  for (;;) {
    try {
      return next(record);
    } catch (const Error& error) {
      if (!has_good_ || !may_go_on_) throw;
      bad(error);
    }
  }
}

/// Adds the lines that a quoted field goes on in. Where that makes no row, the quote is a mistake of one
/// line, and the others are rows of their own.
void TableRecords::join_lines(std::string& record) {
  std::string whole = record;
  std::deque<Line> more;
  bool is_open = true;
  while (is_open && whole.size() <= kLongestRecord) {
    auto line = next_line();
    if (!line) break;
    whole += '\n';
    whole += line->text;
    const bool is_damaged = line->damage.has_value();
    more.push_back(std::move(*line));
    if (is_damaged) break;
    is_open = !has_closed_quotes(whole) || ends_in_quotes(kind_, whole);
  }
  if (is_open || !is_row(kind_, whole)) {
    ahead_.insert(ahead_.begin(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    return;
  }
  record = std::move(whole);
  next_offset_ = more.back().end;
}

std::string second_row(const base::File& file) {
  try {
    TableRecords records(file);
    std::string row;
    return records.next(row) && records.next(row) ? row : std::string();
  } catch (const Error&) {
    return {};  // The reader of the table reports it.
  }
}

}  // namespace shardmill::source
