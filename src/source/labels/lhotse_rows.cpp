#include "source/labels/lhotse_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "base/text/units.hpp"
#include "source/corpus_builder.hpp"

namespace shardmill::source {

namespace {

using base::JsonValue;

/// The member, unless it is missing or null.
std::optional<JsonValue> member(const JsonValue& object, std::string_view name) {
  auto value = object.find(name);
  return value && !value->is_null() ? value : std::nullopt;
}

/// Ids and speakers are numbers in some corpora.
std::string text_or(const std::optional<JsonValue>& value, std::string_view other = {}) {
  if (!value) return std::string(other);
  std::string line = value->line();
  const bool is_number =
      !line.empty() && (line.front() == '-' || (line.front() >= '0' && line.front() <= '9'));
  return is_number ? line : std::string(value->text());
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

/// A number, or for several channels a list of them; none if it is missing.
std::vector<std::uint64_t> channels_in(const std::optional<JsonValue>& value) {
  if (!value) return {};
  if (!value->is_array()) return {value->unsigned_integer()};
  std::vector<std::uint64_t> channels;
  for (const JsonValue& each : value->elements()) channels.push_back(each.unsigned_integer());
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

/// True for values that Lhotse stores in a file of their own: an array, features, an image, or another
/// recording.
bool is_stored_elsewhere(const JsonValue& value) {
  if (!value.is_object()) return false;
  return value.find("storage_type") || value.find("array") ||
         (value.find("sources") && value.find("sampling_rate"));
}

void add_custom(const JsonValue& object, std::string_view text_field, Facts& facts, LabelRow& row) {
  const auto custom = member(object, "custom");
  if (!custom) return;
  for (const auto& [name, value] : custom->members()) {
    const bool is_text =
        name == text_field || std::find(kOwnTexts.begin(), kOwnTexts.end(), name) != kOwnTexts.end();
    if (is_text || value.is_null()) continue;
    if (is_stored_elsewhere(value)) {
      row.left_out.push_back(fmt::format("custom.{}", name));
    } else {
      facts.json(name, value.line());
    }
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

void add_speaker(const JsonValue& supervision, std::string_view text_field, Facts& facts, LabelRow& row) {
  facts.text("speaker", text_or(member(supervision, "speaker")))
      .text("gender", text_or(member(supervision, "gender")))
      .language(text_or(member(supervision, "language")));
  add_custom(supervision, text_field, facts, row);
  if (member(supervision, "alignment")) row.left_out.emplace_back("alignment");
}

/// The recording of a cut, and its problem if it has one.
void set_recording(const JsonValue& cut, LabelRow& row) {
  const auto recording = member(cut, "recording");
  const std::string type = text_or(member(cut, "type"), "cut");
  // "Cut" is what the first releases of Lhotse wrote.
  constexpr std::array<std::string_view, 4> kTypes{"cut", "Cut", "MonoCut", "MultiCut"};
  if (recording && std::find(kTypes.begin(), kTypes.end(), type) == kTypes.end()) {
    row.problem = fmt::format("is a {}, and only a MonoCut or a MultiCut can be read", printable(type));
    return;
  }
  if (!recording) {
    row.problem = type == "MixedCut"
                      ? "is a MixedCut, which several recordings are mixed for: Lhotse saves it as a file"
                  : type == "PaddingCut" ? "is a PaddingCut, which holds no audio but silence"
                                         : fmt::format("is a {} without a recording", printable(type));
    return;
  }
  LhotseRecording found = lhotse_recording(*recording);
  // Shar stores the channels of the cut alone, in the order of the recording, which may still name all.
  const std::vector<std::uint64_t> of_cut = channels_in(member(cut, "channel"));
  if (found.sources.size() == 1 && found.sources.front().type == "shar" && !of_cut.empty()) {
    found.sources.front().channels = of_cut;
    std::sort(found.sources.front().channels.begin(), found.sources.front().channels.end());
  }
  row.recording_id = row.audio = found.id;
  row.recording_seconds = found.seconds;
  if (!found.transforms.empty()) {
    row.problem = fmt::format("its recording is transformed: {}", found.transforms);
  } else if (const LhotseSource* source = choose_source(found, row);
             source != nullptr && source->type == "file") {
    row.audio = source->source;
  }
}

void set_times(LabelRow& row, double begin, double seconds) {
  row.begin_seconds = begin;
  row.seconds = seconds;
  row.end_seconds = base::decimal_sum(begin, seconds);
}

/// Throws Error for a supervision of a channel that its cut has not: its text is not that of the cut.
void check_channels(const std::vector<std::uint64_t>& of_cut, const JsonValue& supervision) {
  const auto is_in_cut = [&](std::uint64_t channel) {
    return std::find(of_cut.begin(), of_cut.end(), channel) != of_cut.end();
  };
  const std::vector<std::uint64_t> channels = channels_in(member(supervision, "channel"));
  if (of_cut.empty() || std::all_of(channels.begin(), channels.end(), is_in_cut)) return;
  throw Error(fmt::format("is of channel {}, and its supervision '{}' of channel {}", fmt::join(of_cut, ", "),
                          printable(lhotse_id(supervision)), fmt::join(channels, ", ")));
}

void note_other_recording(const JsonValue& supervision, LabelRow& row) {
  const std::string id = text_or(member(supervision, "recording_id"));
  if (id != row.recording_id && !row.recording_id.empty()) row.other_recording = id;
}

/// Makes the row of a cut that of one of its supervisions.
void set_supervision(const JsonValue& cut, const JsonValue& supervision, std::string_view text_field,
                     LabelRow& row) {
  const double begin = row.begin_seconds;
  row.key = lhotse_id(supervision);
  // Of several channels, that of the supervision is looked for in the recording.
  if (row.channels.size() == 1) check_channels(row.channels, supervision);
  if (auto channels = channels_in(member(supervision, "channel")); !channels.empty())
    row.channels = std::move(channels);
  row.problem.clear();
  set_recording(cut, row);
  note_other_recording(supervision, row);
  row.text = text_of(supervision, text_field);
  set_times(row, base::decimal_sum(begin, supervision["start"].number()), supervision["duration"].number());
  Facts facts;
  add_speaker(supervision, text_field, facts, row);
  row.facts = facts.members();
}

/// True for a supervision, whose times count from the beginning of its cut, that begins before or ends after
/// it.
bool reaches_beyond(const JsonValue& supervision, double cut_seconds) {
  constexpr double kClearSeconds = 0.1;
  const double begin = number_or(member(supervision, "start"), 0);
  const double seconds = number_or(member(supervision, "duration"), 0);
  return begin <= -kClearSeconds || begin + seconds >= cut_seconds + kClearSeconds;
}

std::vector<LabelRow> rows_of_cut(const JsonValue& cut, std::string_view text_field) {
  LabelRow row;
  row.key = lhotse_id(cut);
  row.channels = channels_in(member(cut, "channel"));
  const auto recording = member(cut, "recording");
  if (recording) set_times(row, cut["start"].number(), cut["duration"].number());
  const auto list = member(cut, "supervisions");
  const std::vector<JsonValue> supervisions = list ? list->elements() : std::vector<JsonValue>();
  if (!recording || supervisions.size() < 2) {
    set_recording(cut, row);
    if (recording && !row.channel) make_whole(row, number_or(member(*recording, "duration"), 0));
    Facts facts;
    if (!supervisions.empty()) {
      check_channels(row.channels, supervisions.front());
      row.text = text_of(supervisions.front(), text_field);
      note_other_recording(supervisions.front(), row);
      row.has_longer_text = recording && reaches_beyond(supervisions.front(), row.seconds);
      add_speaker(supervisions.front(), text_field, facts, row);
    }
    add_custom(cut, text_field, facts, row);
    row.facts = facts.members();
    return {row};
  }
  std::vector<LabelRow> rows;
  set_recording(cut, row);
  for (const JsonValue& supervision : supervisions) {
    LabelRow& one = rows.emplace_back(row);
    try {
      set_supervision(cut, supervision, text_field, one);
    } catch (const Error& error) {
      one.problem = error.problem();
    }
  }
  return rows;
}

}  // namespace

void CutDoubts::add(const LabelRow& row) {
  if (row.has_longer_text && ++longer_ == 1) first_longer_ = row.key;
  if (!row.other_recording.empty() && ++others_ == 1)
    first_other_ =
        fmt::format("the text of '{}', which is of the recording '{}', is that of the recording '{}'",
                    printable(row.key), printable(row.recording_id), printable(row.other_recording));
}

std::vector<Error> CutDoubts::warnings(const std::string& path) const {
  std::vector<Error> warnings;
  if (longer_ > 0) {
    const std::string more =
        longer_ == 1 ? ""
                     : fmt::format(", and so do those of {}", base::format_count(longer_ - 1, "other cut"));
    warnings.emplace_back(
        fmt::format("the supervision of the cut '{}' reaches beyond it{}: the text may have more words than "
                    "the audio",
                    printable(first_longer_), more),
        at(path));
  }
  if (others_ > 0) {
    const std::string more =
        others_ == 1 ? "" : fmt::format(", and it is so with {} more", base::format_count(others_ - 1));
    warnings.emplace_back(first_other_ + more, at(path), "check that the texts belong to the audio");
  }
  return warnings;
}

std::string lhotse_id(const JsonValue& object, std::string_view name) {
  return text_or(object[name]);
}

void make_whole(LabelRow& row, double recording_seconds) {
  constexpr double kRoundedSeconds = 1e-4;
  if (row.begin_seconds == 0 && std::abs(row.end_seconds - recording_seconds) < kRoundedSeconds) {
    row.end_seconds = CorpusUtterance::kToTheEnd;
    row.keeps_to_seconds = row.seconds > 0;
  }
}

LhotseKind lhotse_kind(const JsonValue& line) {
  if (!line.is_object()) return LhotseKind::none;
  if (line.find("id") && line.find("sources") && line.find("sampling_rate")) return LhotseKind::recording;
  if (line.find("id") && line.find("recording_id") && line.find("start") && line.find("duration"))
    return LhotseKind::supervision;
  return line.find("id") && is_cut(line) ? LhotseKind::cut : LhotseKind::none;
}

LhotseRecording lhotse_recording(const JsonValue& recording) {
  LhotseRecording found{.id = lhotse_id(recording)};
  found.transforms = transforms_of(recording);
  found.seconds = number_or(member(recording, "duration"), 0);
  for (const JsonValue& source : recording["sources"].elements()) {
    found.sources.push_back({.type = std::string(source["type"].text()),
                             .source = text_or(member(source, "source")),
                             .channels = channels_in(member(source, "channels"))});
  }
  return found;
}

std::unordered_set<std::string> recordings_known_to(const JsonValue& cut) {
  std::unordered_set<std::string> ids;
  const auto take = [&](const std::optional<JsonValue>& object, std::string_view name) {
    if (object && object->is_object() && member(*object, name)) ids.insert(lhotse_id(*object, name));
  };
  const auto elements_of = [&](std::string_view name) {
    const auto list = member(cut, name);
    return list ? list->elements() : std::vector<JsonValue>();
  };
  take(member(cut, "recording"), "id");
  for (const JsonValue& supervision : elements_of("supervisions")) take(supervision, "recording_id");
  for (const JsonValue& track : elements_of("tracks")) {
    if (const auto mixed = member(track, "cut")) ids.merge(recordings_known_to(*mixed));
  }
  return ids;
}

const LhotseSource* choose_source(const LhotseRecording& recording, LabelRow& row) {
  const auto fail = [&](std::string problem) {
    row.problem = std::move(problem);
    return nullptr;
  };
  row.channel.reset();
  const auto& sources = recording.sources;
  if (sources.empty()) return fail("its recording has no source");
  const auto take = [&row](const LhotseSource& source) {
    row.recording_channels = source.channels.size();
    return &source;
  };
  const std::vector<std::uint64_t>& wanted = row.channels;
  if (wanted.empty()) {
    if (sources.size() == 1) return take(sources.front());
    return fail(fmt::format("is of all channels of its recording, which are in {} files", sources.size()));
  }
  const auto holds = [](const LhotseSource& source, std::uint64_t channel) {
    return std::find(source.channels.begin(), source.channels.end(), channel) != source.channels.end();
  };
  const auto source = std::find_if(sources.begin(), sources.end(), [&](const LhotseSource& each) {
    return std::all_of(wanted.begin(), wanted.end(),
                       [&](std::uint64_t channel) { return holds(each, channel); });
  });
  const std::string names = fmt::format("{}", fmt::join(wanted, ", "));
  if (source == sources.end())
    return fail(fmt::format("is of channel {}, which no file of its recording has", names));
  const auto is_wanted = [&](std::uint64_t channel) {
    return std::find(wanted.begin(), wanted.end(), channel) != wanted.end();
  };
  if (std::all_of(source->channels.begin(), source->channels.end(), is_wanted)) return take(*source);
  if (wanted.size() > 1)
    return fail(fmt::format("is of the channels {} of {}: one of them or all can be taken", names,
                            source->channels.size()));
  row.channel = static_cast<std::uint64_t>(
      std::find(source->channels.begin(), source->channels.end(), wanted.front()) - source->channels.begin());
  return take(*source);
}

std::vector<LabelRow> lhotse_rows(const JsonValue& line, std::string_view text_field) {
  switch (lhotse_kind(line)) {
    case LhotseKind::cut:
      return rows_of_cut(line, text_field);
    case LhotseKind::supervision: {
      LabelRow row;
      row.key = lhotse_id(line);
      row.audio = row.recording_id = lhotse_id(line, "recording_id");
      row.text = text_of(line, text_field);
      row.channels = channels_in(member(line, "channel"));
      if (row.channels.size() == 1) row.channel = row.channels.front();
      set_times(row, line["start"].number(), line["duration"].number());
      Facts facts;
      add_speaker(line, text_field, facts, row);
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
