#include "source/labels/label_row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "base/error.hpp"
#include "base/text/letters.hpp"
#include "base/text/numbers.hpp"
#include "source/corpus_builder.hpp"
#include "source/labels/lhotse_rows.hpp"

namespace shardmill::source {

namespace {

using Names = std::span<const std::string_view>;

// In small letters; the first that a row has is taken.
constexpr std::array<std::string_view, 6> kBeginNames{"offset",     "start",      "begin",
                                                      "start_time", "begin_time", "audio_offset"};
constexpr std::array<std::string_view, 4> kEndNames{"end", "end_time", "stop", "stop_time"};
constexpr std::array<std::string_view, 4> kLengthNames{"duration", "length", "dur", "audio_duration"};
constexpr std::array<std::string_view, 9> kKeyNames{"key",        "utt_id", "utt", "utterance_id", "uttid",
                                                    "segment_id", "cut_id", "id",  "sid"};
constexpr std::array<std::string_view, 6> kTextNames{"text",     "transcript",      "transcription",
                                                     "sentence", "normalized_text", "answer"};

const TableField* find(const std::vector<TableField>& fields, Names names) {
  for (const std::string_view name : names) {
    for (const TableField& field : fields) {
      if (base::lower(field.first) == name) return &field;
    }
  }
  return nullptr;
}

/// Of a field of a row.
double seconds_of(const TableField& field) {
  const std::string text = field_text(field.second);
  std::size_t end = 0;
  double seconds = std::numeric_limits<double>::quiet_NaN();
  try {
    seconds = std::stod(text, &end);
  } catch (const std::exception&) {
    end = 0;
  }
  if (end == 0 || end != text.size() || !std::isfinite(seconds))
    throw Error(fmt::format("'{}' is not a number of seconds: {}", printable(field.first), printable(text)));
  return seconds;
}

/// Without a negative begin, and without an end before it.
void check_times(const LabelRow& row) {
  if (row.begin_seconds < 0) throw Error(fmt::format("begins at {} s", row.begin_seconds));
  if (row.seconds < 0) throw Error(fmt::format("lasts {} s", row.seconds));
}

void add_fact(std::string_view name, const std::string& json, bool has_lang, Facts& facts) {
  facts.json(name, json);
  if (name == "language" && !has_lang) facts.json("lang", json);
}

}  // namespace

LabelShape::LabelShape(TableKind kind, std::string_view first, std::string_view text_field)
    : text_field_(text_field) {
  if (kind == TableKind::json_lines) {
    base::JsonParser parser;
    if (lhotse_kind(parser.parse(first)) != LhotseKind::none) return;
  }
  table_.emplace(kind, first, text_field, RowsOf::audio_files);
}

std::vector<LabelRow> LabelShape::learn(const std::string& record) {
  if (table_) table_->learn(record);
  return rows_of(record);
}

std::vector<LabelRow> LabelShape::rows_of(const std::string& record) const {
  std::vector<LabelRow> rows;
  if (table_) {
    rows.push_back(row_of(table_->fields_in(record)));
  } else {
    base::JsonParser parser;
    rows = lhotse_rows(parser.parse(record), text_field_);
  }
  for (const LabelRow& row : rows) {
    if (!row.problem.empty()) throw Error(row.problem, {}, "take it out of the labels");
    check_times(row);
  }
  return rows;
}

LabelRow LabelShape::row_of(const std::vector<TableField>& fields) const {
  LabelRow row;
  const std::array<std::string_view, 1> wanted_text{text_field_};
  const TableField* const text = find(fields, text_field_.empty() ? Names(kTextNames) : Names(wanted_text));
  const TableField* const begin = find(fields, kBeginNames);
  const TableField* const length = find(fields, kLengthNames);
  const TableField* const end = find(fields, kEndNames);
  const TableField* const key = find(fields, kKeyNames);
  const bool has_lang = std::any_of(fields.begin(), fields.end(),
                                    [](const TableField& field) { return field.first == "lang"; });
  Facts facts;
  for (const TableField& field : fields) {
    if (field.first == table_->key_name()) {
      row.audio = table_key(field_text(field.second));
    } else if (&field == text) {
      row.text = field_text(field.second);
    } else if (&field == key) {
      row.key = field_text(field.second);
    } else if (&field != begin && &field != length && &field != end) {
      add_fact(field.first, field.second, has_lang, facts);
    }
  }
  if (row.audio.empty()) throw Error(fmt::format("has no '{}'", printable(table_->key_name())));
  if (length != nullptr) row.seconds = seconds_of(*length);
  if (begin != nullptr) row.begin_seconds = seconds_of(*begin);
  if (end != nullptr) {
    row.end_seconds = seconds_of(*end);
    row.seconds = row.end_seconds - row.begin_seconds;
  } else if (begin != nullptr && length != nullptr) {
    row.end_seconds = base::decimal_sum(row.begin_seconds, row.seconds);
  } else if (length != nullptr) {
    row.keeps_to_seconds = true;
  }
  row.facts = facts.members();
  return row;
}

std::string segment_suffix(double begin_seconds, double end_seconds) {
  const auto text = [](double seconds) {
    constexpr std::uint32_t kPerSecond = 1000;
    return fmt::format("-{:07}", base::rounded_product(seconds, kPerSecond));
  };
  return text(begin_seconds) + (end_seconds == CorpusUtterance::kToTheEnd ? "" : text(end_seconds));
}

}  // namespace shardmill::source
