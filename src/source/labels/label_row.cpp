#include "source/labels/label_row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/text/letters.hpp"
#include "base/text/units.hpp"
#include "shard/tar_input.hpp"
#include "source/corpus_builder.hpp"
#include "source/file_name.hpp"
#include "source/labels/lhotse_rows.hpp"

namespace shardmill::source {

namespace {

using Names = std::span<const std::string_view>;

// In small letters; the first that a row has is taken.
constexpr std::array<std::string_view, 9> kKeyNames{"key",        "utt_id", "utt", "utterance_id", "uttid",
                                                    "segment_id", "cut_id", "id",  "sid"};
constexpr std::array<std::string_view, 16> kTextNames{"text",
                                                      "transcript",
                                                      "transcription",
                                                      "sentence",
                                                      "normalized_text",
                                                      "answer",
                                                      "raw_text",
                                                      "raw_transcription",
                                                      "normalized_transcription",
                                                      "txt",
                                                      "caption",
                                                      "文本",
                                                      "转写",
                                                      "转录",
                                                      "句子",
                                                      "内容"};
constexpr std::array<std::string_view, 5> kChannelNames{"channel", "chan", "channel_id", "audio_channel",
                                                        "ch"};

/// The fields of a row by the words that lists of usual names have for their names.
class FieldFinder {
 public:
  /// `fields` must outlive it.
  explicit FieldFinder(const std::vector<TableField>& fields) : fields_(fields) {
    for (const TableField& field : fields) words_.push_back(shard::column_word(field.first));
  }

  /// The first of `names` that a field has; null: none has any.
  const TableField* find(Names names) const {
    for (const std::string_view name : names) {
      for (std::size_t i = 0; i < words_.size(); ++i) {
        if (words_[i] == name) return &fields_[i];
      }
    }
    return nullptr;
  }

 private:
  const std::vector<TableField>& fields_;
  std::vector<std::string> words_;
};

/// Throws Error for a value that holds others.
std::string text_of(const TableField& field) {
  check_is_text(field);
  return field_text(field.second);
}

/// From 0; nullopt for a name of something else, such as that of a broadcaster.
std::optional<std::uint64_t> channel_of(const TableField& field) {
  std::string text = base::lower(text_of(field));
  if (text == "a" || text == "left" || text == "l") return 0;
  if (text == "b" || text == "right" || text == "r") return 1;
  for (const std::string_view word : {"channel", "ch"}) {
    if (!text.starts_with(word)) continue;
    text.erase(0, std::min(text.find_first_not_of("-_ ", word.size()), text.size()));
    break;
  }
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  constexpr std::size_t kMostDigits = 4;
  const bool is_number = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  if (is_number && text.size() <= kMostDigits) return std::stoul(text);
  if (field.second.starts_with('"') && !is_number) return std::nullopt;
  throw Error(
      fmt::format("'{}' is not the number of a channel: {}", printable(field.first), printable(text)));
}

/// "a/b.wav" for "a//b.wav" and "a/./b.wav".
std::string without_idle_parts(std::string path) {
  if (path.find("://") != path.npos) return path;
  for (const std::string_view idle : {"/./", "//"}) {
    for (std::size_t at = path.find(idle); at != path.npos; at = path.find(idle, at))
      path.replace(at, idle.size(), "/");
  }
  return path;
}

/// With the audio that it names, where that can be told: then it is not reported as audio without a row.
LabelRow bad_row(const Error& error, std::string audio = {}) {
  LabelRow row;
  row.audio = std::move(audio);
  row.problem = error.problem();
  return row;
}

void add_fact(std::string_view name, const std::string& json, bool has_lang, Facts& facts) {
  facts.json(name, json);
  if (name == "language" && !has_lang) facts.json("lang", json);
}

/// Throws Error if another usual column of audio names another file than the key does. Only folders and
/// extensions may differ: the two may be a clip as it was published and as it lies here.
void check_one_audio(const std::vector<TableField>& fields, const std::string& key,
                     const std::string& audio) {
  // The one that the user is told to call the right one.
  if (shard::column_word(key) == "audio_filepath" || !is_audio_name(audio)) return;
  for (const TableField& field : fields) {
    const bool may_be_path = field.second.ends_with('"') && is_usual_for_audio(field.first);
    const std::string other = may_be_path && field.first != key ? field_text(field.second) : std::string();
    if (!is_audio_name(other) || audio_name(other).stem == audio_name(audio).stem) continue;
    throw Error(
        fmt::format("has two columns with different audio: '{}' has {}, and '{}' has {}; the one that "
                    "is meant is to be called audio_filepath",
                    printable(key), printable(audio), printable(field.first), printable(other)));
  }
}

}  // namespace

LabelShape::LabelShape(TableKind kind, std::string_view first, std::string_view text_field,
                       std::string_view second, std::string_view one_audio)
    : text_field_(text_field) {
  if (kind == TableKind::json_lines) {
    base::JsonParser parser;
    if (lhotse_kind(parser.parse(first)) != LhotseKind::none) return;
  }
  table_.emplace(kind, first, text_field, RowsOf::labels, second, one_audio);
}

std::string LabelShape::columns() const {
  std::string names;
  if (!table_) return names;
  for (const std::string& name : table_->names()) names += (names.empty() ? "" : ", ") + printable(name);
  return names;
}

std::vector<LabelRow> LabelShape::learn(const std::string& record) {
  try {
    if (table_) table_->learn(record);
  } catch (const Error& error) {
    return {bad_row(error, table_->key_of_damaged(record))};
  }
  std::vector<LabelRow> rows = rows_of(record);
  if (!table_) return rows;
  for (const LabelRow& row : rows) {
    if (!row.problem.empty()) continue;
    if (row.is_whole() && !row.has_begin && !table_->one_key().empty())
      throw no_audio_column(table_->names());
    if (row.channel) lowest_channel_ = std::min(*row.channel, lowest_channel_.value_or(*row.channel));
    unit_doubt_.learn(row.begin_seconds, row.end_seconds, row.has_unit);
    if (row.is_whole() && row.seconds == 0) likely_times_.learn(row.audio, row.facts);
    const bool has_end = row.end_seconds != CorpusUtterance::kToTheEnd;
    has_begins_ = has_begins_ || row.has_begin;
    has_ends_ = has_ends_ || has_end;
    if (!row.has_begin && has_end) without_begin_.take(row.audio, row.end_seconds);
    if (!row.has_begin && !has_end && row.seconds > 0) without_begin_.take(row.audio, 0);
    if (row.has_begin && !has_end) without_end_.take(row.audio, row.begin_seconds);
  }
  return rows;
}

void LabelShape::check_times() const {
  likely_times_.check();
  unit_doubt_.check();
  if (!has_begins_ && !without_begin_.twice.empty())
    throw Error(fmt::format("several rows of '{}' say where they end, and none where it begins",
                            printable(without_begin_.twice)),
                {}, "add a column start");
  if (!has_ends_ && !without_end_.twice.empty())
    throw Error(fmt::format("several rows of '{}' say where they begin, and none where it ends",
                            printable(without_end_.twice)),
                {}, "add a column end or duration");
}

void LabelShape::HalfTimed::take(const std::string& audio, double seconds) {
  if (count++ == 0) first = audio;
  if (audio == last && seconds != last_seconds) twice = audio;
  last = audio;
  last_seconds = seconds;
}

std::string LabelShape::HalfTimed::doubt(std::string_view says, std::string_view lacks,
                                         std::string_view taken) const {
  if (count == 0) return {};
  return fmt::format("{} {} where to {} and not where to {}, such as one of '{}': {} taken {}",
                     base::format_count(count, "row"), count == 1 ? "says" : "say", says, lacks,
                     printable(first), count == 1 ? "it is" : "they are", taken);
}

std::vector<std::string> LabelShape::doubts() const {
  std::vector<std::string> doubts{doubt_of_channels(),
                                  without_end_.doubt("begin", "end", "to the end of the recording")};
  // Where all rows say only how long they are, they are whole files.
  if (has_begins_ || has_ends_) doubts.push_back(without_begin_.doubt("end", "begin", "from the beginning"));
  std::erase(doubts, "");
  return doubts;
}

std::string LabelShape::doubt_of_channels() const {
  if (lowest_channel_.value_or(0) == 0) return {};
  return fmt::format("no row is of channel 0, and {} is the lowest: the first channel is 0 here, or left",
                     *lowest_channel_);
}

std::vector<LabelRow> LabelShape::rows_of(const std::string& record) const {
  if (!table_) return rows_of_lhotse(record);
  std::vector<TableField> fields;
  try {
    fields = table_->fields_in(record);
  } catch (const Error& error) {
    return {bad_row(error, table_->key_of_damaged(record))};
  }
  const LabelTimes times = times_of(fields);
  try {
    return {row_of(fields, times)};
  } catch (const Error& error) {
    return {bad_row(error, table_->key_of_damaged(record))};
  }
}

std::vector<LabelRow> LabelShape::rows_of_lhotse(const std::string& record) const {
  std::vector<LabelRow> rows;
  try {
    base::JsonParser parser;
    rows = lhotse_rows(parser.parse(record), text_field_);
  } catch (const Error& error) {
    return {bad_row(error)};
  }
  for (LabelRow& row : rows) {
    if (row.problem.empty()) row.problem = why_no_stretch(row.begin_seconds, row.end_seconds);
  }
  const std::string audio = audio_in(rows);
  for (LabelRow& row : rows) {
    // A record is found by one name of audio.
    if (row.problem.empty() && row.audio != audio)
      row.problem =
          "is in another file than the first supervision of its cut: give the supervisions, or read the cuts "
          "as a source";
  }
  return rows;
}

LabelRow LabelShape::row_of(const std::vector<TableField>& fields, const LabelTimes& times) const {
  LabelRow row{.audio = table_->one_key()};
  const FieldFinder finder(fields);
  const std::string text_word = shard::column_word(text_field_);
  const std::array<std::string_view, 1> wanted_text{text_word};
  const TableField* const text = finder.find(text_field_.empty() ? Names(kTextNames) : Names(wanted_text));
  const TableField* const key = finder.find(kKeyNames);
  const TableField* const channel = finder.find(kChannelNames);
  const bool has_lang = std::any_of(fields.begin(), fields.end(),
                                    [](const TableField& field) { return field.first == "lang"; });
  Facts facts;
  for (const TableField& field : fields) {
    if (field.first == table_->key_name()) {
      row.audio = without_idle_parts(text_of(field));
    } else if (&field == text) {
      row.text = text_of(field);
    } else if (&field == key) {
      row.key = text_of(field);
    } else if (&field == channel) {
      row.channel = channel_of(field);
      if (!row.channel) add_fact(field.first, field.second, has_lang, facts);
    } else if (std::find(times.columns.begin(), times.columns.end(), &field) == times.columns.end()) {
      add_fact(field.first, field.second, has_lang, facts);
    }
  }
  if (row.audio.empty()) throw Error(fmt::format("has no '{}'", printable(table_->key_name())));
  check_one_audio(fields, table_->key_name(), row.audio);
  row.begin_seconds = times.begin_seconds;
  row.end_seconds = times.end_seconds;
  row.seconds = times.seconds;
  row.keeps_to_seconds = times.keeps_to_seconds;
  row.has_begin = times.has_begin;
  row.has_unit = times.has_unit;
  row.problem = times.problem;
  row.facts = facts.members();
  return row;
}

const std::string& audio_in(const std::vector<LabelRow>& rows) {
  static const std::string kNone;
  const auto is_good = [](const LabelRow& row) { return row.problem.empty(); };
  const auto names_any = [](const LabelRow& row) { return !row.audio.empty(); };
  auto found = std::find_if(rows.begin(), rows.end(), is_good);
  if (found == rows.end()) found = std::find_if(rows.begin(), rows.end(), names_any);
  return found == rows.end() ? kNone : found->audio;
}

std::string segment_suffix(double begin_seconds, double end_seconds) {
  const auto text = [](double seconds) {
    constexpr std::uint32_t kPerSecond = 1000;
    return fmt::format("-{:07}", base::rounded_product(seconds, kPerSecond));
  };
  return text(begin_seconds) + (end_seconds == CorpusUtterance::kToTheEnd ? "" : text(end_seconds));
}

std::string key_suffix(const LabelRow& row) {
  return (row.is_whole() ? std::string() : segment_suffix(row.begin_seconds, row.end_seconds)) +
         (row.channel ? fmt::format("_ch{}", *row.channel + 1) : std::string());
}

}  // namespace shardmill::source
