// TableShape: the columns of a table, which of them is the key, and how a row is read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text/json_reader.hpp"
#include "source/metadata_table.hpp"
#include "source/tables/table_records.hpp"

namespace shardmill::source {

/// A field of a row, its value as JSON.
using TableField = std::pair<std::string, std::string>;

/// What the rows of a table are about. Labels may name audio by an id, where they have no paths.
enum class RowsOf { samples, audio_files, labels };

class TableShape {
 public:
  /// `first`: the first row, the header or a JSON object. `text_field`: what the transcript is called; empty:
  /// one of the usual names. `second`: the next row, if there is one: where no column has a usual name, the
  /// one with a name of audio there is the key. A first row that has such a name itself, or a key like that
  /// of the second one, is no header.
  /// `one_key`: of all rows, where no column is a key. Without it, throws Error, which lists the columns.
  /// `likely_keys`: where no column is known to be the key, it is taken if it is the only one.
  TableShape(TableKind kind, std::string_view first, std::string_view text_field,
             RowsOf rows_of = RowsOf::samples, std::string_view second = {}, std::string_view one_key = {},
             const std::vector<std::string>& likely_keys = {});

  bool has_header() const noexcept { return has_header_; }
  /// Takes a row into account: which columns hold nothing but numbers, and whether there are transcripts.
  /// Returns its key. Throws Error for a row that does not fit.
  std::string learn(const std::string& record);
  /// Whether a row has a transcript field of the wanted name, as far as learn() has seen.
  bool has_text() const noexcept { return has_text_; }

  /// The name of the audio of a row. Throws Error for a row that does not fit the header or has no key.
  std::string key_of(const std::string& record) const;
  /// The same of a row that is damaged; empty where it cannot be told.
  std::string key_of_damaged(const std::string& record) const;
  MetadataRow row_of(const std::string& record) const;
  /// All fields of a row but empty ones and nulls. Throws Error for a row that does not fit.
  std::vector<TableField> fields_in(const std::string& record) const;
  /// Of JSON lines, those of the first.
  const std::vector<std::string>& names() const noexcept { return names_; }
  const std::string& key_name() const noexcept { return key_name_; }
  /// Of all rows, if they have no key of their own; else empty.
  const std::string& one_key() const noexcept { return one_key_; }
  /// False if the key was recognised by its value.
  bool has_usual_key() const noexcept { return has_usual_key_; }
  const std::string& text_name() const noexcept { return text_name_; }

  /// The names of its columns, of JSON lines those of the first.
  const std::vector<std::string>& columns() const noexcept { return names_; }

 private:
  void choose_text();
  void choose_key(const std::vector<std::string>& values, RowsOf rows_of, std::string_view one_key,
                  const std::vector<std::string>& likely_keys);
  bool names_columns_itself(const std::vector<std::string>& second, RowsOf rows_of);
  std::vector<std::string> fields_of(std::string_view record) const;
  std::string checked_key(std::string_view value) const;
  std::string json_key(const base::JsonValue& object) const;
  void check_names_no_key(const base::JsonValue& object) const;

  TableKind kind_;
  std::string text_name_;
  std::vector<std::string> names_;
  std::string key_name_;
  std::string one_key_;
  std::size_t key_ = 0;
  std::vector<bool> may_be_number_;
  bool has_header_ = true;
  bool has_usual_key_ = false;
  bool has_text_ = false;
  base::JsonParser parser_;  // for learn(): the others may be called by any thread
};

/// The columns whose values look like keys, in the first rows: each has one, without a space, no two have the
/// same, and one has a letter; those whose names say something else are left out.
std::vector<std::string> likely_key_columns(const base::File& table);

/// True for one of the usual names of a column with audio files.
bool is_usual_for_audio(const std::string& column);

/// Says of a table that its rows name no audio.
Error no_audio_column(const std::vector<std::string>& columns);

/// Whether the first row of a table that is no JSON names an audio file, as rows do that are no header.
bool has_no_header(TableKind kind, std::string_view first);

/// Throws Error for a value that holds others.
void check_is_text(const TableField& field);

/// The text of a field, or its number as it is written.
std::string field_text(const std::string& json);

/// A name of audio as tables have it, and as samples are called: "a/b.wav" as "a/b".
std::string table_key(std::string_view value);

}  // namespace shardmill::source
