#include "source/tables/table_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include "base/text/json_reader.hpp"
#include "base/text/json_writer.hpp"
#include "base/text/letters.hpp"
#include "shard/tar_input.hpp"
#include "source/corpus_builder.hpp"
#include "source/file_name.hpp"
#include "source/tables/table_records.hpp"

namespace shardmill::source {

namespace {

/// In small letters; the first that a table has is its key.
constexpr std::array<std::string_view, 29> kKeyNames{
    "key",          "utt",       "utt_id",     "uttid",    "utterance_id", "utteranceid",    "utterance",
    "id",           "audio_id",  "segment_id", "sid",      "__key__",      "audio_filepath", "audio_path",
    "wav_filename", "wav",       "path",       "audio",    "file_name",    "filename",       "file",
    "audio_file",   "file_path", "filepath",   "wav_path", "文件名",       "文件",           "音频",
    "路径"};

/// Texts also where they look like numbers.
constexpr std::array<std::string_view, 9> kTextNames{"speaker", "spk",    "gender", "sex", "language",
                                                     "lang",    "subset", "split",  "text"};

/// As JSON writes it, and short enough to be exact.
bool is_number(std::string_view text) {
  constexpr std::size_t kMostDigits = 15;
  if (text.starts_with('-')) text.remove_prefix(1);
  const auto digits = [&] { return std::min(text.find_first_not_of("0123456789"), text.size()); };
  const std::size_t whole = digits();
  if (whole == 0 || whole > kMostDigits || (whole > 1 && text.starts_with('0'))) return false;
  text.remove_prefix(whole);
  if (text.empty()) return true;
  if (!text.starts_with('.')) return false;
  text.remove_prefix(1);
  const std::size_t behind = digits();
  return behind != 0 && behind == text.size() && whole + behind <= kMostDigits;
}

bool is_always_text(const std::string& name) {
  const std::string lower = shard::column_word(name);
  return lower == "id" || lower.ends_with("_id") ||
         std::find(kTextNames.begin(), kTextNames.end(), lower) != kTextNames.end();
}

/// A text as it is, a number as it stands.
std::string text_of(const base::JsonValue& value) {
  std::string line = value.line();
  return line.starts_with('"') ? std::string(value.text()) : line;
}

std::vector<std::string> names_of(const base::JsonValue& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.members()) names.emplace_back(name);
  return names;
}

/// The same of audio files.
constexpr std::array<std::string_view, 19> kAudioNames{
    "audio_filepath", "audio_path", "wav_filename", "wav",       "audio",    "path",     "file_name",
    "filename",       "file",       "audio_file",   "file_path", "filepath", "wav_path", "recording",
    "audio_id",       "文件名",     "文件",         "音频",      "路径"};

std::optional<std::size_t> find_among(const std::vector<std::string>& names,
                                      std::span<const std::string_view> wanted_names) {
  for (const std::string_view wanted : wanted_names) {
    const auto found = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
      return shard::column_word(name) == wanted;
    });
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  }
  return std::nullopt;
}

/// The same of labels, which have neither a usual nor any other name of audio.
constexpr std::array<std::string_view, 14> kIdNames{
    "recording_id", "audio_name", "wav_name", "wav_file", "file_id", "clip",         "clip_name",
    "id",           "key",        "utt_id",   "uttid",    "utt",     "utterance_id", "sid"};

/// The names of columns, empty for those that cannot be keys: the one with the transcript, and "utterance"
/// where its values show that it is a transcript, too.
std::vector<std::string> names_of_keys(std::vector<std::string> names, std::string_view text_field,
                                       const std::vector<std::string>& likely_keys) {
  const auto is_no_key = [&](const std::string& name) {
    if (!text_field.empty() && shard::column_word(name) == shard::column_word(std::string(text_field)))
      return true;
    return shard::column_word(name) == "utterance" && !likely_keys.empty() &&
           std::find(likely_keys.begin(), likely_keys.end(), name) == likely_keys.end();
  };
  for (std::string& name : names) {
    if (is_no_key(name)) name.clear();
  }
  return names;
}

std::optional<std::size_t> usual_key(const std::vector<std::string>& names, RowsOf rows_of) {
  if (rows_of == RowsOf::samples) return find_among(names, kKeyNames);
  return find_among(names, kAudioNames);
}

std::optional<std::size_t> key_among(const std::vector<std::string>& names, RowsOf rows_of) {
  const auto usual = usual_key(names, rows_of);
  return usual || rows_of != RowsOf::labels ? usual : find_among(names, kIdNames);
}

std::string list_of(const std::vector<std::string>& columns) {
  std::string list;
  for (const std::string& name : columns) list += (list.empty() ? "" : ", ") + printable(name);
  return list;
}

Error no_key_column(const std::vector<std::string>& columns, const std::vector<std::string>& likely) {
  if (columns.size() == 1 && columns.front().find(' ') != std::string::npos)
    return Error(
        fmt::format("has one column only: {}", list_of(columns)), {},
        "put tabs, commas, semicolons or bars between columns: blanks do not divide them; and give them "
        "names in the first line, such as key and speaker");
  return Error(
      fmt::format("has no column with the keys of the samples: its columns are {}{}", list_of(columns),
                  likely.empty() ? "" : "; these look like it: " + list_of(likely)),
      {},
      "call that column key, or for paths audio_filepath; a table has a header line, or a JSON object on "
      "each "
      "line");
}

Error late_key_column(const std::string& name) {
  return Error(fmt::format("has '{}', which the first line has not", printable(name)), {},
               "name the audio in each line, or in none");
}

std::optional<std::size_t> audio_among(const std::vector<std::string>& values) {
  const auto found = std::find_if(values.begin(), values.end(),
                                  [](const std::string& value) { return is_audio_name(value); });
  if (found == values.end()) return std::nullopt;
  return static_cast<std::size_t>(found - values.begin());
}

/// Throws Error if several columns name audio, so that it is unclear which is meant.
void check_only_audio(const std::vector<std::string>& columns, const std::vector<std::string>& values) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (is_audio_name(values[i])) found.push_back(columns[i]);
  }
  if (found.size() > 1)
    throw Error(fmt::format("has several columns with names of audio files: {}", list_of(found)), {},
                "call the one that is meant audio_filepath");
}

bool is_row_of_audio(const std::vector<std::string>& fields) {
  return fields.size() > 1 && audio_among(fields);
}

/// "LJ0-0" for "LJ001-0042": keys of a corpus have that in common. Empty for a text with a blank, and for one
/// without a letter or a digit, which may as well be the name of a column.
std::string key_pattern(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string pattern;
  for (const char c : text) {
    if (c == ' ') return {};
    if (!is_digit(c)) pattern += c;
    if (is_digit(c) && !pattern.ends_with('0')) pattern += '0';
  }
  const bool has_both = pattern.size() > 1 && pattern.find('0') != pattern.npos;
  return has_both ? pattern : std::string();
}

/// The field of the first row that is a key like that of the second one.
std::optional<std::size_t> key_among_rows(const std::vector<std::string>& first,
                                          const std::vector<std::string>& second) {
  if (first.size() < 2 || first.size() != second.size()) return std::nullopt;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const std::string pattern = key_pattern(first[i]);
    if (!pattern.empty() && key_pattern(second[i]) == pattern) return i;
  }
  return std::nullopt;
}

void add_fact(std::string_view name, const std::string& json, bool has_lang, Facts& facts) {
  facts.json(name, json);
  // NeMo's Lhotse reader goes by this one.
  if (name == "language" && !has_lang) facts.json("lang", json);
}

/// The first string in a line of JSON that follows the name of its field; empty where there is none, and
/// where it cannot be printed. Throws Error for one with wrong escapes.
std::string text_after(const std::string& name, const std::string& record) {
  constexpr const char* kBlanks = " \t";
  std::string quoted;
  base::append_json_string(quoted, name);
  std::size_t begin = record.find(quoted);
  if (begin == record.npos) return {};
  begin = record.find_first_not_of(kBlanks, begin + quoted.size());
  if (begin == record.npos || record[begin] != ':') return {};
  begin = record.find_first_not_of(kBlanks, begin + 1);
  if (begin == record.npos || record[begin] != '"') return {};
  std::size_t end = begin + 1;
  while (end < record.size() && record[end] != '"') end += record[end] == '\\' ? 2 : 1;
  if (end >= record.size()) return {};
  std::string text = field_text(record.substr(begin, end + 1 - begin));
  return printable(text) == text ? text : std::string();
}

}  // namespace

namespace {

bool says_something_else(const std::string& name) {
  const auto speakers = shard::usual_speaker_names();
  return is_always_text(name) || !shard::usual_text_name({name}).empty() ||
         std::find(speakers.begin(), speakers.end(), shard::column_word(name)) != speakers.end();
}

/// A column, as far as its values show whether it holds keys.
struct ColumnLook {
  std::string name;
  std::set<std::string, std::less<>> values{};
  bool has_letter = false;
  bool may_be_key = true;

  void add(const std::string& value) {
    may_be_key = may_be_key && !value.empty() && value.find_first_of(" \t") == value.npos &&
                 values.insert(value).second;
    has_letter =
        has_letter || std::any_of(value.begin(), value.end(), [](char c) {
          return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
        });
  }
};

std::vector<std::string> values_in(TableKind kind, const std::string& record,
                                   const std::vector<ColumnLook>& columns) {
  if (kind != TableKind::json_lines) return fields_of_record(kind, record);
  base::JsonParser parser;
  const base::JsonValue object = parser.parse(record);
  std::vector<std::string> values;
  for (const ColumnLook& column : columns) {
    const auto value = object.find(column.name);
    values.push_back(value && !value->is_null() ? text_of(*value) : std::string());
  }
  return values;
}

std::vector<ColumnLook> columns_of(TableKind kind, const std::string& first) {
  base::JsonParser parser;
  const bool is_json = kind == TableKind::json_lines;
  std::vector<ColumnLook> columns;
  for (std::string& name : is_json ? names_of(parser.parse(first)) : fields_of_record(kind, first))
    columns.push_back({.name = std::move(name)});
  return columns;
}

}  // namespace

std::vector<std::string> likely_key_columns(const base::File& table) {
  constexpr std::size_t kRowsEnough = 1000;
  std::vector<ColumnLook> columns;
  try {
    TableRecords records(table);
    std::string record;
    for (std::size_t rows = 0; rows < kRowsEnough && records.next_good(record, [](const Error&) {}); ++rows) {
      const bool is_first = columns.empty();
      if (is_first) columns = columns_of(records.kind(), record);
      if (is_first && records.kind() != TableKind::json_lines) continue;
      const auto values = values_in(records.kind(), record, columns);
      if (values.size() != columns.size()) continue;  // the reader of the table reports it
      for (std::size_t i = 0; i < columns.size(); ++i) columns[i].add(values[i]);
    }
  } catch (const Error&) {
    return {};  // the same
  }
  std::vector<std::string> likely;
  for (const ColumnLook& column : columns) {
    if (column.may_be_key && column.has_letter && !says_something_else(column.name))
      likely.push_back(column.name);
  }
  return likely;
}

bool is_usual_for_audio(const std::string& column) {
  return find_among({column}, kAudioNames).has_value();
}

Error no_audio_column(const std::vector<std::string>& columns) {
  return Error(fmt::format("has no column with the audio files: its columns are {}", list_of(columns)), {},
               "call that column audio_filepath; a table has a header line, or a JSON object on each line");
}

bool has_no_header(TableKind kind, std::string_view first) {
  if (kind == TableKind::json_lines) return false;
  const std::vector<std::string> fields = fields_of_record(kind, first);
  return is_row_of_audio(fields) && !find_among(fields, kAudioNames);
}

void check_is_text(const TableField& field) {
  const char first = field.second.empty() ? '\0' : field.second.front();
  if (first != '[' && first != '{') return;
  throw Error(fmt::format("'{}' is {}, and not a text", printable(field.first),
                          first == '[' ? "a list" : "an object"));
}

std::string field_text(const std::string& json) {
  if (!json.starts_with('"')) return json;
  base::JsonParser parser;
  return std::string(parser.parse(json).text());
}

std::string table_key(std::string_view value) {
  while (value.starts_with("./")) value.remove_prefix(2);
  return std::string(is_audio_name(value) ? without_extension(value) : value);
}

TableShape::TableShape(TableKind kind, std::string_view first, std::string_view text_field, RowsOf rows_of,
                       std::string_view second, std::string_view one_key,
                       const std::vector<std::string>& likely_keys)
    : kind_(kind), text_name_(text_field), has_header_(kind != TableKind::json_lines) {
  std::vector<std::string> values;  // of a row
  if (kind_ == TableKind::json_lines) {
    base::JsonParser parser;
    const base::JsonValue object = parser.parse(first);
    if (!object.is_object()) throw Error("is not a JSON object", {}, "each line has to be one");
    names_ = names_of(object);
    for (const auto& [name, value] : object.members()) values.push_back(field_text(value.line()));
    choose_text();
    choose_key(values, rows_of, one_key, likely_keys);
    return;
  }
  names_ = fields_of(first);
  if (!usual_key(names_of_keys(names_, text_field, likely_keys), rows_of)) {
    if (!second.empty()) values = fields_of_record(kind_, second);
    has_header_ = !names_columns_itself(values, rows_of);
    if (!has_header_) values.clear();
  }
  std::set<std::string> seen;
  for (const std::string& name : names_) {
    if (!name.empty() && !seen.insert(name).second)
      throw Error(fmt::format("has two columns '{}'", printable(name)));
  }
  choose_text();
  choose_key(values, rows_of, one_key, likely_keys);
  for (const std::string& name : names_)
    may_be_number_.push_back(!is_always_text(name) && name != text_name_);
  has_text_ = seen.contains(text_name_);
}

/// `values`: of a row, if there is one.
void TableShape::choose_key(const std::vector<std::string>& values, RowsOf rows_of, std::string_view one_key,
                            const std::vector<std::string>& likely_keys) {
  // The name of the transcript is known by now; where the user gave none, it may be no column at all.
  const bool has_text = std::find(names_.begin(), names_.end(), text_name_) != names_.end();
  const auto names = names_of_keys(names_, has_text ? text_name_ : std::string(), likely_keys);
  has_usual_key_ = usual_key(names, rows_of).has_value();
  auto found =
      has_usual_key_ || values.size() != names_.size() ? std::optional<std::size_t>() : audio_among(values);
  if (found) check_only_audio(names_, values);
  if (!found) found = key_among(names, rows_of);
  if (const auto likely =
          likely_keys.size() == 1 ? std::find(names_.begin(), names_.end(), likely_keys[0]) : names_.end();
      !found && likely != names_.end())
    found = static_cast<std::size_t>(likely - names_.begin());
  if (found) {
    key_ = *found;
    key_name_ = names_[key_];
    return;
  }
  if (one_key.empty())
    throw rows_of == RowsOf::samples ? no_key_column(names_, likely_keys) : no_audio_column(names_);
  one_key_ = one_key;
}

/// A first row with the name of an audio file, or with a key like that of the second row, is a row like
/// others. In a list of audio, where its one other field can only be the transcript, the columns need no
/// names.
bool TableShape::names_columns_itself(const std::vector<std::string>& second, RowsOf rows_of) {
  const bool may_be_text = names_.size() == 1 && names_.front().find(' ') != std::string::npos;
  std::optional<std::size_t> key = may_be_text ? std::nullopt : audio_among(names_);
  const bool has_audio = key.has_value();
  if (!has_audio && rows_of == RowsOf::samples) key = key_among_rows(names_, second);
  if (!key) return false;
  if (rows_of == RowsOf::samples || names_.size() > 2 || *key != 0) {
    throw Error(fmt::format("has no header: its first line is about {}", printable(names_[*key])), {},
                fmt::format("add a first line with the names of the columns, such as {} and text",
                            has_audio ? "audio_filepath" : "key"));
  }
  names_ = names_.size() == 1 ? std::vector<std::string>{"audio_filepath"}
                              : std::vector<std::string>{"audio_filepath", "text"};
  return true;
}

/// The column that the user names, in any case of letters; or one of the usual names.
void TableShape::choose_text() {
  if (!text_name_.empty()) {
    const bool is_there = std::find(names_.begin(), names_.end(), text_name_) != names_.end();
    const std::string wanted = shard::column_word(text_name_);
    const std::array<std::string_view, 1> words{wanted};
    if (const auto found = find_among(names_, words); found && !is_there) text_name_ = names_[*found];
    return;
  }
  text_name_ = shard::usual_text_name({names_.begin(), names_.end()});
  if (text_name_.empty()) text_name_ = "text";
}

std::vector<std::string> TableShape::fields_of(std::string_view record) const {
  auto fields = fields_of_record(kind_, record);
  if (!may_be_number_.empty() && fields.size() != names_.size())
    throw Error(fmt::format("has {} fields, and the header has {}", fields.size(), names_.size()), {},
                kind_ == TableKind::csv ? "put a field that holds a comma in quotes" : "");
  return fields;
}

std::string TableShape::checked_key(std::string_view value) const {
  if (!one_key_.empty()) return one_key_;
  std::string key = table_key(value);
  if (key.empty()) throw Error(fmt::format("has nothing in the column '{}'", printable(key_name_)));
  return key;
}

std::string TableShape::learn(const std::string& record) {
  if (kind_ == TableKind::json_lines) {
    const base::JsonValue object = parser_.parse(record);
    std::string key = json_key(object);
    const auto text = object.find(text_name_);
    if (text) check_is_text({text_name_, text->line()});
    has_text_ = has_text_ || text.has_value();
    return key;
  }
  const std::vector<std::string> fields = fields_of(record);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (may_be_number_[i] && !fields[i].empty() && !is_number(fields[i])) may_be_number_[i] = false;
  }
  return checked_key(fields[key_]);
}

std::string TableShape::json_key(const base::JsonValue& object) const {
  if (!object.is_object()) throw Error("is not a JSON object", {}, "each line has to be one");
  check_names_no_key(object);
  if (!one_key_.empty()) return one_key_;
  const auto key = object.find(key_name_);
  if (!key || key->is_null()) throw Error(fmt::format("has no '{}'", printable(key_name_)));
  return checked_key(text_of(*key));
}

/// Where all rows have one key.
void TableShape::check_names_no_key(const base::JsonValue& object) const {
  if (one_key_.empty()) return;
  const std::vector<std::string> names = names_of(object);
  if (const auto key = key_among(names, RowsOf::labels)) throw late_key_column(names[*key]);
}

std::string TableShape::key_of(const std::string& record) const {
  if (kind_ != TableKind::json_lines) return checked_key(fields_of(record)[key_]);
  base::JsonParser parser;
  return json_key(parser.parse(record));
}

std::string TableShape::key_of_damaged(const std::string& record) const {
  if (!one_key_.empty()) return one_key_;
  try {
    if (kind_ == TableKind::json_lines) return text_after(key_name_, record);
    const std::vector<std::string> fields = fields_of_record(kind_, record);
    return key_ < fields.size() && is_audio_name(fields[key_]) ? fields[key_] : std::string();
  } catch (const Error&) {
    return {};
  }
}

std::vector<TableField> TableShape::fields_in(const std::string& record) const {
  std::vector<TableField> all;
  if (kind_ == TableKind::json_lines) {
    base::JsonParser parser;
    const base::JsonValue object = parser.parse(record);
    if (!object.is_object()) throw Error("is not a JSON object", {}, "each line has to be one");
    check_names_no_key(object);
    for (const auto& [name, value] : object.members()) {
      if (!value.is_null()) all.emplace_back(name, value.line());
    }
    return all;
  }
  const std::vector<std::string> fields = fields_of(record);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (names_[i].empty() || fields[i].empty()) continue;
    std::string json = fields[i];
    if (!may_be_number_[i]) {
      json.clear();
      base::append_json_string(json, fields[i]);
    }
    all.emplace_back(names_[i], std::move(json));
  }
  return all;
}

MetadataRow TableShape::row_of(const std::string& record) const {
  const std::vector<TableField> fields = fields_in(record);
  const bool has_lang = std::any_of(fields.begin(), fields.end(),
                                    [](const TableField& field) { return field.first == "lang"; });
  MetadataRow row;
  Facts facts;
  for (const auto& [name, json] : fields) {
    if (name == key_name_) {
      row.key = checked_key(field_text(json));
    } else if (name == text_name_) {
      row.text = field_text(json);
    } else {
      add_fact(name, json, has_lang, facts);
    }
  }
  if (row.key.empty()) throw Error(fmt::format("has no '{}'", printable(key_name_)));
  row.facts = facts.members();
  return row;
}

}  // namespace shardmill::source
