// TableShape: the columns of a table, which of them is the key, and how a row is read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/json_reader.hpp"
#include "source/metadata_table.hpp"
#include "source/tables/table_records.hpp"

namespace shardmill::source {

class TableShape {
 public:
  /// `first`: the first row, the header or a JSON object. `text_field`: what the transcript is called. Throws
  /// Error, which lists the columns, when none of them is a key.
  TableShape(TableKind kind, std::string_view first, std::string_view text_field);

  bool has_header() const noexcept { return kind_ != TableKind::json_lines; }
  /// Takes a row into account: which columns hold nothing but numbers, and whether there are transcripts.
  /// Returns its key. Throws Error for a row that does not fit.
  std::string learn(const std::string& record);
  /// Whether a row has a transcript field of the wanted name, as far as learn() has seen.
  bool has_text() const noexcept { return has_text_; }

  /// The name of the audio of a row. Throws Error for a row that does not fit the header or has no key.
  std::string key_of(const std::string& record) const;
  MetadataRow row_of(const std::string& record) const;

 private:
  std::vector<std::string> fields_of(std::string_view record) const;
  std::string checked_key(std::string_view value) const;
  std::string json_key(const base::JsonValue& object) const;
  MetadataRow json_row(const std::string& record) const;

  TableKind kind_;
  std::string text_name_;
  std::vector<std::string> names_;
  std::string key_name_;
  std::size_t key_ = 0;
  std::vector<bool> may_be_number_;
  bool has_text_ = false;
  base::JsonParser parser_;  // for learn(): the others may be called by any thread
};

/// A name of audio as tables have it, and as samples are called: "a/b.wav" as "a/b".
std::string table_key(std::string_view value);

}  // namespace shardmill::source
