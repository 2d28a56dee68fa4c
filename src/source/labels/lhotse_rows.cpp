#include "source/labels/lhotse_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "base/text/numbers.hpp"
#include "source/corpus_builder.hpp"

namespace shardmill::source {

namespace {

using base::JsonValue;

/// The member, unless it is missing or null.
std::optional<JsonValue> member(const JsonValue& object, std::string_view name) {
  auto value = object.find(name);
  return value && !value->is_null() ? value : std::nullopt;
}

std::string text_or(const std::optional<JsonValue>& value, std::string_view other = {}) {
  return value ? std::string(value->text()) : std::string(other);
}

double number_or(const std::optional<JsonValue>& value, double other) {
  return value ? value->number() : other;
}

/// Its type is the name of its class, and older manifests have none.
bool is_cut(const JsonValue& line) {
  const auto type = member(line, "type");
  if (type) return std::string_view(type->text()).ends_with("Cut");
  return line.find("supervisions") && line.find("start") && line.find("duration");
}

std::uint64_t channels_of(const JsonValue& recording) {
  if (const auto ids = member(recording, "channel_ids")) return ids->elements().size();
  std::uint64_t channels = 0;
  for (const JsonValue& source : recording["sources"].elements())
    channels += source["channels"].elements().size();
  return channels;
}

std::string transforms_of(const JsonValue& recording) {
  const auto transforms = member(recording, "transforms");
  if (!transforms) return {};
  std::string names;
  for (const JsonValue& each : transforms->elements())
    names += (names.empty() ? "" : ", ") +
             (each.is_object() ? text_or(member(each, "name"), "one without a name") : each.line());
  return names;
}

/// Members of Lhotse's own, and texts, which are long and in the transcript already.
constexpr std::array<std::string_view, 2> kOwnTexts{"texts", "pre_texts"};

void add_custom(const JsonValue& object, std::string_view text_field, Facts& facts) {
  const auto custom = member(object, "custom");
  if (!custom) return;
  for (const auto& [name, value] : custom->members()) {
    const bool is_text =
        name == text_field || std::find(kOwnTexts.begin(), kOwnTexts.end(), name) != kOwnTexts.end();
    // An array or a recording of its own is stored elsewhere.
    if (!is_text && !value.is_null() && !value.is_object()) facts.json(name, value.line());
  }
}

std::optional<std::string> text_of(const JsonValue& supervision, std::string_view text_field) {
  const auto custom = member(supervision, "custom");
  const auto texts = custom ? member(*custom, "texts") : std::nullopt;
  if (text_field.empty() || text_field == "text") {
    const std::string text = text_or(member(supervision, "text"));
    if (!text.empty()) return text;
    if (texts && !texts->elements().empty()) return std::string(texts->elements().front().text());
    return std::nullopt;
  }
  if (text_field == "upper" && texts && texts->elements().size() > 1)
    return std::string(texts->elements()[1].text());
  auto wanted = custom ? member(*custom, text_field) : std::nullopt;
  if (!wanted) wanted = member(supervision, text_field);
  return wanted ? std::optional(std::string(wanted->text())) : std::nullopt;
}

void add_speaker(const JsonValue& supervision, std::string_view text_field, Facts& facts) {
  facts.text("speaker", text_or(member(supervision, "speaker")))
      .text("gender", text_or(member(supervision, "gender")))
      .language(text_or(member(supervision, "language")));
  add_custom(supervision, text_field, facts);
}

/// A number, or for several channels a list of them.
std::optional<std::uint64_t> channel_of(const JsonValue& line) {
  const auto channel = member(line, "channel");
  if (!channel) return std::nullopt;
  if (!channel->is_array()) return channel->unsigned_integer();
  const std::vector<JsonValue> all = channel->elements();
  return all.size() == 1 ? std::optional(all.front().unsigned_integer()) : std::nullopt;
}

/// The recording of a cut, and what is wrong with it.
void set_recording(const JsonValue& cut, LabelRow& row) {
  const auto type = text_or(member(cut, "type"));
  const auto recording = member(cut, "recording");
  if (!recording) {
    row.problem = fmt::format("is a {} without a recording of its own", type.empty() ? "cut" : type);
    return;
  }
  const LhotseRecording found = lhotse_recording(*recording);
  row.audio = found.source_type == "file" ? found.source : found.id;
  row.recording_id = found.id;
  if (!found.transforms.empty())
    row.problem = fmt::format("its recording is transformed: {}", found.transforms);
  if (found.channels > 1) row.channel = channel_of(cut);
}

void set_times(LabelRow& row, double begin, double seconds) {
  row.begin_seconds = begin;
  row.seconds = seconds;
  row.end_seconds = base::decimal_sum(begin, seconds);
}

std::vector<LabelRow> rows_of_cut(const JsonValue& cut, std::string_view text_field) {
  LabelRow row;
  row.key = cut["id"].text();
  set_recording(cut, row);
  if (row.audio.empty()) return {row};
  const double begin = number_or(member(cut, "start"), 0);
  set_times(row, begin, cut["duration"].number());
  const auto recording = member(cut, "recording");
  if (recording && !row.channel) make_whole(row, number_or(member(*recording, "duration"), 0));
  const auto list = member(cut, "supervisions");
  const std::vector<JsonValue> supervisions = list ? list->elements() : std::vector<JsonValue>();
  if (supervisions.size() < 2) {
    Facts facts;
    if (!supervisions.empty()) {
      row.text = text_of(supervisions.front(), text_field);
      add_speaker(supervisions.front(), text_field, facts);
    }
    add_custom(cut, text_field, facts);
    row.facts = facts.members();
    return {row};
  }
  std::vector<LabelRow> rows;
  for (const JsonValue& supervision : supervisions) {
    LabelRow& one = rows.emplace_back(row);
    one.key = supervision["id"].text();
    one.text = text_of(supervision, text_field);
    set_times(one, base::decimal_sum(begin, supervision["start"].number()), supervision["duration"].number());
    if (row.channel) one.channel = channel_of(supervision);
    Facts facts;
    add_speaker(supervision, text_field, facts);
    one.facts = facts.members();
  }
  return rows;
}

}  // namespace

void make_whole(LabelRow& row, double recording_seconds) {
  constexpr double kRoundedSeconds = 1e-4;
  if (row.begin_seconds == 0 && std::abs(row.end_seconds - recording_seconds) < kRoundedSeconds)
    row.end_seconds = CorpusUtterance::kToTheEnd;
}

LhotseKind lhotse_kind(const JsonValue& line) {
  if (!line.is_object()) return LhotseKind::none;
  if (line.find("id") && line.find("sources") && line.find("sampling_rate")) return LhotseKind::recording;
  if (line.find("id") && line.find("recording_id") && line.find("start") && line.find("duration"))
    return LhotseKind::supervision;
  return line.find("id") && is_cut(line) ? LhotseKind::cut : LhotseKind::none;
}

LhotseRecording lhotse_recording(const JsonValue& recording) {
  LhotseRecording found{.id = std::string(recording["id"].text()), .source_type = {}, .source = {}};
  const std::vector<JsonValue> sources = recording["sources"].elements();
  found.channels = channels_of(recording);
  found.transforms = transforms_of(recording);
  found.seconds = number_or(member(recording, "duration"), 0);
  if (sources.empty()) return found;
  found.source_type = sources.front()["type"].text();
  found.source = text_or(member(sources.front(), "source"));
  if (sources.size() > 1) found.source_type = "several files";
  return found;
}

std::vector<LabelRow> lhotse_rows(const JsonValue& line, std::string_view text_field) {
  switch (lhotse_kind(line)) {
    case LhotseKind::cut:
      return rows_of_cut(line, text_field);
    case LhotseKind::supervision: {
      LabelRow row;
      row.key = line["id"].text();
      row.audio = row.recording_id = line["recording_id"].text();
      row.text = text_of(line, text_field);
      row.channel = channel_of(line);
      set_times(row, line["start"].number(), line["duration"].number());
      Facts facts;
      add_speaker(line, text_field, facts);
      row.facts = facts.members();
      return {row};
    }
    case LhotseKind::recording:
      throw Error("describes a recording of Lhotse, and no sample in it", {},
                  "give the supervisions or the cuts");
    case LhotseKind::none:
      break;
  }
  throw Error("is neither a cut nor a supervision of Lhotse");
}

}  // namespace shardmill::source
