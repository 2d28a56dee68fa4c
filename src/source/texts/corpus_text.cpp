#include "source/texts/corpus_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/io/folder.hpp"
#include "base/text/letters.hpp"
#include "base/text/utf8.hpp"
#include "source/tables/table_records.hpp"
#include "source/texts/encoding_guess.hpp"

namespace shardmill::source {

namespace {

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t') || byte == 0x7F;
}

/// For a line that is not UTF-8 from its first byte above 0x7F on.
Error not_utf8(std::string_view line, std::size_t column, unsigned char byte) {
  const std::string problem = fmt::format("column {}: is not UTF-8 (byte 0x{:02X})", column, byte);
  const std::vector<Encoding> encodings = possible_encodings(line);
  if (encodings.empty())
    return Error(problem, {},
                 "convert the file to UTF-8 from its encoding, such as CP1252, GB18030 or CP949");
  std::string names;
  for (const Encoding& encoding : encodings)
    names += fmt::format("{}{} ({})", names.empty() ? "" : " or ", encoding.name, encoding.language);
  const std::string command = fmt::format("iconv -f {} -t UTF-8", encodings.front().name);
  return Error(fmt::format("{}; it may be {}", problem, names), {},
               encodings.size() == 1 ? "convert the file: " + command
                                     : "convert the file from the one that gives the right text: " + command);
}

}  // namespace

void check_characters(std::string_view line) {
  const std::string_view whole = line;
  if (line.ends_with('\r')) line.remove_suffix(1);
  bool is_utf8_so_far = false;
  for (std::size_t column = 1; !line.empty(); ++column) {
    const auto byte = static_cast<unsigned char>(line.front());
    if (byte >= 0x20 && byte < 0x7F) {
      line.remove_prefix(1);
      continue;
    }
    if (is_control(line.front())) {
      throw Error(fmt::format("column {}: is the control character 0x{:02X}", column, byte), {},
                  "text is needed here, in UTF-8");
    }
    const base::Utf8Step step = base::first_utf8(line);
    if (!step.valid) {
      if (!is_utf8_so_far) throw not_utf8(whole, column, byte);
      throw Error(
          fmt::format("column {}: is not UTF-8 (byte 0x{:02X}), but the text before it is", column, byte), {},
          "the line is damaged: put it right, or remove it");
    }
    // Other encodings have pairs of bytes that are valid by chance, but hardly three.
    constexpr std::size_t kHardlyByChance = 3;
    if (step.bytes >= kHardlyByChance) is_utf8_so_far = true;
    line.remove_prefix(step.bytes);
  }
}

CorpusText::CorpusText(const std::string& path, CorpusBuilder& builder)
    : lines_(open_table(path)), builder_(builder) {
  builder.description(path);
}

std::string_view CorpusText::without_mark(std::string_view line) {
  if (line.starts_with("\xFF\xFE") || line.starts_with("\xFE\xFF")) {
    throw here(Error("is UTF-16, not UTF-8", {}, "convert the file: iconv -f UTF-16 -t UTF-8"));
  }
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (!line.starts_with(kMark)) return line;
  builder_.warn(Error("starts with a byte order mark, which is skipped", at(path())));
  return line.substr(kMark.size());
}

bool CorpusText::next(std::string_view& line) {
  while (lines_.next(line)) {
    if (lines_.line_number() == 1) line = without_mark(line);
    try {
      check_characters(line);
    } catch (const Error& error) {
      throw here(error);
    }
    line = base::trimmed(line);
    if (!line.empty()) return true;
  }
  return false;
}

std::string line_of(const std::string& path, std::uint64_t line_number) {
  return fmt::format("{}: line {}", path, line_number);
}

std::string_view take_field(std::string_view& text) {
  const std::size_t end = text.find_first_of(" \t");
  const std::string_view field = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : base::trimmed(text.substr(end));
  return field;
}

void for_each_json_line(
    const std::string& path, CorpusBuilder& builder,
    const std::function<void(const base::JsonValue& object, const CorpusText& text)>& use) {
  CorpusText text(path, builder);
  base::JsonParser parser;
  for (std::string_view line; text.next(line);) {
    try {
      const base::JsonValue value = parser.parse(line);
      if (!value.is_object()) throw Error("is not a JSON object", {}, "each line has to be one");
      use(value, text);
    } catch (const Error& error) {
      throw text.here(error);
    }
  }
}

std::string path_from(const base::JsonValue& value) {
  const std::string_view path = value.text();
  if (path.empty() || std::any_of(path.begin(), path.end(), is_control)) {
    throw Error(fmt::format("'{}' is no path", printable(path)));
  }
  return std::string(path);
}

std::optional<base::JsonValue> find_known(const base::JsonValue& object, std::string_view name) {
  const auto value = object.find(name);
  return value && !value->is_null() ? value : std::nullopt;
}

IdTable::IdTable(const std::string& path, CorpusBuilder& builder) : path_(path) {
  CorpusText text(path, builder);
  for (std::string_view line; text.next(line);) {
    const std::string_view id = take_field(line);
    const Row row{.id = texts_.keep(id), .value = texts_.keep(line), .line = text.line_number()};
    const auto [known, is_new] = by_id_.try_emplace(row.id, rows_.size());
    if (!is_new) {
      throw at_row(row, fmt::format("'{}' is in line {} already", id, rows_[known->second].line));
    }
    rows_.push_back(row);
  }
}

IdTable IdTable::if_there(const std::string& path, CorpusBuilder& builder) {
  return base::exists(path) ? IdTable(path, builder) : IdTable();
}

const IdTable::Row* IdTable::find(std::string_view id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &rows_[found->second];
}

std::optional<std::string_view> IdTable::value(std::string_view id) const {
  const Row* row = find(id);
  return row != nullptr ? std::optional(row->value) : std::nullopt;
}

Error IdTable::at_row(const Row& row, const std::string& problem, const std::string& advice) const {
  return Error(fmt::format("line {}: {}", row.line, problem), at(path_), advice);
}

}  // namespace shardmill::source
