#include "source/tables/table_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "archive/container.hpp"
#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/text/letters.hpp"
#include "codec/codec.hpp"
#include "source/texts/corpus_text.hpp"

namespace shardmill::source {

namespace {

/// Takes a field in quotes off `rest` and returns its content.
std::string quoted_field(std::string_view& rest) {
  std::string field;
  for (;;) {
    rest.remove_prefix(1);
    const std::size_t end = rest.find('"');
    if (end == std::string_view::npos) throw Error("a quote is opened and not closed");
    field += rest.substr(0, end);
    rest.remove_prefix(end + 1);
    if (!rest.starts_with('"')) break;
    field += '"';
  }
  const std::size_t next = std::min(rest.find_first_not_of(" \t"), rest.size());
  if (next < rest.size() && rest[next] != ',')
    throw Error("a field goes on behind its closing quote", {}, "a quote inside of a field is doubled");
  rest.remove_prefix(next);
  return field;
}

constexpr std::string_view kMark = "\xEF\xBB\xBF";

/// By the first line that is not blank.
TableKind kind_of(const std::string& path) {
  const base::File file = base::File::open_read(path);
  std::array<std::byte, std::max(codec::kDetectBytes, archive::kContainerMagicBytes)> first{};
  const auto codec = codec::detect(std::span(first).first(file.read_at(first, 0)));
  if (codec != codec::Codec::none) {
    throw Error(fmt::format("is compressed with {}, and a table must be plain text", codec::name(codec)),
                at(path), "unpack it first");
  }
  if (const auto format = archive::container_format(first); !format.empty()) {
    throw Error(fmt::format("is an archive ({}), and a table must be plain text", format), at(path),
                "unpack it first");
  }
  base::LineReader lines(path);
  for (std::string_view line; lines.next(line);) {
    if (lines.line_number() == 1 && line.starts_with(kMark)) line.remove_prefix(kMark.size());
    const std::size_t begin = line.find_first_not_of(" \r");
    if (begin == std::string_view::npos) continue;
    if (line[begin] == '{') return TableKind::json_lines;
    if (line[begin] == '[')
      throw Error("is one JSON array, and a table has an object on each line", at(path),
                  "convert the file: jq -c '.[]'");
    if (line.find('\t') != std::string_view::npos) return TableKind::tsv;
    return TableKind::csv;
  }
  throw Error("is a table without rows", at(path));
}

}  // namespace

std::vector<std::string> csv_fields(std::string_view record) {
  std::vector<std::string> fields;
  for (;;) {
    record.remove_prefix(std::min(record.find_first_not_of(" \t"), record.size()));
    if (record.starts_with('"')) {
      fields.push_back(quoted_field(record));
    } else {
      const std::size_t end = std::min(record.find(','), record.size());
      fields.emplace_back(base::trimmed(record.substr(0, end), " \t"));
      record.remove_prefix(end);
    }
    if (record.empty()) return fields;
    record.remove_prefix(1);
  }
}

bool has_closed_quotes(std::string_view record) {
  // A doubled quote inside of quotes opens and closes at once.
  return std::count(record.begin(), record.end(), '"') % 2 == 0;
}

TableRecords::TableRecords(const std::string& path) : lines_(path), kind_(kind_of(path)) {}

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

/// Adds the next line to `record`.
bool TableRecords::next_line(std::string& record) {
  std::string_view line;
  if (!lines_.next(line)) return false;
  next_offset_ += line.size() + (lines_.line_was_ended() ? 1 : 0);
  if (lines_.line_number() == 1) skip_mark(line);
  try {
    check_characters(line);
  } catch (const Error& error) {
    throw lines_.here(error);
  }
  if (line.ends_with('\r')) line.remove_suffix(1);
  record += line;
  return true;
}

bool TableRecords::next(std::string& record) {
  do {
    record.clear();
    offset_ = next_offset_;
    if (!next_line(record)) return false;
    line_ = lines_.line_number();
  } while (record.find_first_not_of(" \t") == std::string::npos);
  while (kind_ == TableKind::csv && !has_closed_quotes(record)) {
    record += '\n';
    if (bytes() > kLongestRecord || !next_line(record))
      throw here(Error("a quote is opened here and not closed", {}, "a quote inside of a field is doubled"));
  }
  if (bytes() > kLongestRecord) throw here(Error(fmt::format("is longer than {} bytes", kLongestRecord)));
  return true;
}

}  // namespace shardmill::source
