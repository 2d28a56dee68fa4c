#include "source/trees/tree_recordings.hpp"

#include <fmt/format.h>

#include <charconv>

#include "source/trees/tree_lines.hpp"
#include "source/trees/tree_table.hpp"

namespace shardmill::source {

namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

/// The value of a line "name = value", without quotes; nullopt for another line.
std::optional<std::string_view> value_of(std::string_view line, std::string_view name) {
  if (!line.starts_with(name)) return std::nullopt;
  line.remove_prefix(name.size());
  const std::size_t equals = line.find('=');
  if (equals == line.npos || line.substr(0, equals).find_first_not_of(" \t") != line.npos)
    return std::nullopt;
  line.remove_prefix(equals + 1);
  const std::size_t begin = line.find_first_not_of(" \t");
  return begin == line.npos ? std::string_view() : line.substr(begin);
}

double seconds_from(std::string_view text) {
  double seconds = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (failure != std::errc() || end != text.data() + text.size() || !(seconds - seconds == 0))
    throw Error(fmt::format("'{}' is not a number of seconds", printable(text)));
  return seconds;
}

/// A text may go on over several lines; quotes in it are doubled.
std::string unquoted(std::string_view value, TreeLines& lines) {
  std::string text;
  if (value.starts_with('"')) value.remove_prefix(1);
  for (;;) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (value[i] != '"') {
        text += value[i];
      } else if (i + 1 < value.size() && value[i + 1] == '"') {
        text += value[i++];
      } else {
        return text;
      }
    }
    text += ' ';
    if (!lines.next(value)) throw lines.here(Error("ends inside a text"));
  }
}

}  // namespace

std::string TreeRecordings::id_of(std::string_view audio) const {
  return stem_of(audio);
}

TreeRecordings::Recording& TreeRecordings::recording(std::string_view id, const TreeText& text) {
  const auto [known, is_new] = recordings_.try_emplace(std::string(id));
  if (is_new) {
    known->second.place = keep(text.place);
    order_.push_back(known->first);
  }
  return known->second;
}

std::optional<std::vector<TreeUtterance>> TreeRecordings::find(std::string_view audio) {
  const auto found = recordings_.find(id_of(audio));
  if (found == recordings_.end()) {
    if (!is_complete() && !is_read_) return std::nullopt;
    // Nothing is known of what is said in it.
    return std::vector{TreeUtterance{.key = stem_of(audio)}};
  }
  Recording& recording = found->second;
  recording.is_found = true;
  const auto [taken, is_first] = taken_.try_emplace(stem_of(audio), audio);
  if (!is_first && taken->second != audio) return std::vector<TreeUtterance>{};  // a link to the same
  std::vector<TreeUtterance> utterances;
  utterances.reserve(recording.segments.size());
  for (const Segment& segment : recording.segments) {
    TreeUtterance& utterance = utterances.emplace_back(TreeUtterance{.key = key_of(audio, segment)});
    utterance.text = segment.text;
    utterance.facts.members(segment.facts);
    utterance.subsets = words_of(segment.subsets);
    if (utterance.subsets.empty() && !subset_of(audio).empty())
      utterance.subsets.emplace_back(subset_of(audio));
    utterance.begin_seconds = segment.begin_seconds;
    utterance.end_seconds = segment.end_seconds;
    utterance.seconds = segment.end_seconds - segment.begin_seconds;
    utterance.named_in = recording.place;
    utterance.line = segment.line;
  }
  return utterances;
}

void TreeRecordings::report_rest(const Lose& lose) const {
  for (const std::string& id : order_) {
    const Recording& recording = recordings_.at(id);
    if (recording.is_found) continue;
    bool is_wanted = false;
    for (const Segment& segment : recording.segments)
      is_wanted = is_wanted || segment.subsets.empty() ||
                  has_wanted_subset(words_of(segment.subsets), options_.subsets);
    if (!is_wanted) continue;
    lose(id, Error(fmt::format("'{}' has {} transcribed segments, but there is no such audio", printable(id),
                               recording.segments.size()),
                   at(std::string(recording.place))));
  }
}

std::vector<GridInterval> read_text_grid(const TreeText& text) {
  std::vector<GridInterval> intervals;
  TreeLines lines(text);
  GridInterval next;
  bool is_in_interval = false;
  bool has_header = false;
  try {
    for (std::string_view line; lines.next(line);) {
      has_header = has_header || line.find("ooTextFile") != line.npos;
      if (line.starts_with("item [") || line.starts_with("item[")) {
        next = {};
        is_in_interval = false;
      } else if (line.starts_with("intervals [") || line.starts_with("intervals[")) {
        is_in_interval = true;
      } else if (const auto name = value_of(line, "name")) {
        next.tier = unquoted(*name, lines);
      } else if (const auto begin = value_of(line, "xmin"); begin && is_in_interval) {
        next.begin_seconds = seconds_from(*begin);
      } else if (const auto end = value_of(line, "xmax"); end && is_in_interval) {
        next.end_seconds = seconds_from(*end);
      } else if (const auto value = value_of(line, "text"); value && is_in_interval) {
        next.line = lines.line_number();
        next.text = unquoted(*value, lines);
        if (next.text.find_first_not_of(" \t") != std::string::npos) intervals.push_back(next);
        ++next.number;
        is_in_interval = false;
      }
    }
  } catch (const Error& error) {
    if (!error.where().path.empty()) throw;
    throw lines.here(error);
  }
  if (!has_header)
    throw Error("is no TextGrid: it does not begin with File type = \"ooTextFile\"", at(text.place));
  return intervals;
}

}  // namespace shardmill::source
