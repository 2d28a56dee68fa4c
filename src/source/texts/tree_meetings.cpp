#include "source/texts/tree_meetings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/text/units.hpp"
#include "source/file_name.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

/// The value of a line "name = value", with its quotes; nullopt for another line.
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

std::size_t count_from(std::string_view text) {
  std::size_t count = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (failure != std::errc() || end != text.data() + text.size())
    throw Error(fmt::format("'{}' is not a count", printable(text)));
  return count;
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
    if (!lines.next(value)) throw Error("ends inside a text");
  }
}

/// Takes the lines one by one, and compares their number with the announced one.
class GridReader {
 public:
  explicit GridReader(const TreeText& text) : place_(text.place), lines_(text) {}

  std::vector<GridInterval> read() {
    try {
      for (std::string_view line; lines_.next(line);) take(line);
    } catch (const Error& error) {
      if (!error.where().path.empty()) throw;
      throw lines_.here(error);
    }
    if (!has_header_)
      throw Error("is no TextGrid: it does not start with File type = \"ooTextFile\"", at(place_));
    end_tier();
    if (is_empty_) return {};
    if (!tiers_) throw Error("is cut: it does not say how many tiers it has", at(place_));
    if (tiers_begun_ < *tiers_)
      throw Error(fmt::format("is cut: it has {} of {} tiers", tiers_begun_, *tiers_), at(place_));
    return std::move(intervals_);
  }

 private:
  void take(std::string_view line) {
    has_header_ = has_header_ || line.find("ooTextFile") != line.npos;
    is_empty_ = is_empty_ || line == "tiers? <absent>";
    // The long form has "tiers? <exists>".
    if (line == "<exists>")
      throw Error("is a TextGrid in the short form", {}, "write it as a text file, not as a short text file");
    if (const auto tiers = value_of(line, "size"); tiers && !tiers_) {
      tiers_ = count_from(*tiers);
    } else if (line.starts_with("item [") || line.starts_with("item[")) {
      if (line.find_first_of("0123456789") != line.npos) begin_tier();
    } else if (const auto size = value_of(line, "intervals: size")) {
      announced_ = count_from(*size);
    } else if (value_of(line, "points: size")) {
      announced_ = 0;  // Points hold no speech.
    } else if (line.starts_with("intervals [") || line.starts_with("intervals[")) {
      is_in_interval_ = true;
    } else if (const auto name = value_of(line, "name")) {
      next_.tier = unquoted(*name, lines_);
    } else if (is_in_interval_) {
      take_inner(line);
    }
  }

  void take_inner(std::string_view line) {
    if (const auto begin = value_of(line, "xmin")) {
      next_.begin_seconds = seconds_from(*begin);
    } else if (const auto end = value_of(line, "xmax")) {
      next_.end_seconds = seconds_from(*end);
    } else if (const auto value = value_of(line, "text")) {
      next_.line = lines_.line_number();
      next_.text = unquoted(*value, lines_);
      if (next_.text.find_first_not_of(" \t") != std::string::npos) intervals_.push_back(next_);
      ++next_.number;
      is_in_interval_ = false;
    }
  }

  void begin_tier() {
    end_tier();
    ++tiers_begun_;
    next_ = {};
    announced_.reset();
    is_in_interval_ = false;
  }

  void end_tier() const {
    if (tiers_begun_ == 0) return;
    if (!announced_)
      throw Error(fmt::format("is cut: tier {} does not say how many intervals it has", tiers_begun_),
                  at(place_));
    if (next_.number < *announced_)
      throw Error(fmt::format("is cut: tier '{}' has {} of {} intervals", printable(next_.tier), next_.number,
                              *announced_),
                  at(place_));
  }

  const std::string& place_;
  TreeLines lines_;
  std::vector<GridInterval> intervals_;
  GridInterval next_;
  std::optional<std::size_t> tiers_;
  std::size_t tiers_begun_ = 0;
  std::optional<std::size_t> announced_;  // intervals of this tier
  bool has_header_ = false;
  bool is_empty_ = false;
  bool is_in_interval_ = false;
};

}  // namespace

double seconds_from(std::string_view text) {
  constexpr double kMost = 1e9;  // thirty years
  double seconds = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (failure != std::errc() || end != text.data() + text.size() || !(std::abs(seconds) <= kMost))
    throw Error(fmt::format("'{}' is not a number of seconds", printable(text)));
  return seconds;
}

std::vector<GridInterval> read_text_grid(const TreeText& text) {
  return GridReader(text).read();
}

TreeCorpus::Role TreeMeetings::role(std::string_view path) const {
  if (is_audio_name(path)) return Role::audio;
  return path.ends_with(".TextGrid") ? Role::text : Role::other;
}

/// The TextGrid of a far microphone lacks the number of the microphone.
std::string_view TreeMeetings::awaited(std::string_view path) const {
  const std::string_view stem = audio_name(path).stem;
  return stem.substr(0, stem.find("_MS"));
}

std::string TreeMeetings::grid_id(std::string_view path) const {
  return stem_of(path);
}

void TreeMeetings::read(const TreeText& text) {
  const std::string id = stem_of(text.path);
  Recording& recording = this->recording(grid_id(text.path), text);
  if (!recording.segments.empty()) throw Error("is a second TextGrid of the same recording", at(text.place));
  for (const GridInterval& interval : read_text_grid(text)) {
    const Speaker speaker = speaker_of(id, interval.tier);
    Facts facts;
    facts.text("speaker", speaker.name).text("gender", speaker.gender).language("zh");
    recording.segments.push_back({.key = keep(fmt::format("{}-{:04}", speaker.name, interval.number)),
                                  .text = keep(interval.text),
                                  .facts = keep(facts.members()),
                                  .subsets = {},
                                  .begin_seconds = interval.begin_seconds,
                                  .end_seconds = interval.end_seconds,
                                  .line = interval.line});
  }
  std::stable_sort(recording.segments.begin(), recording.segments.end(),
                   [](const Segment& a, const Segment& b) { return a.begin_seconds < b.begin_seconds; });
}

std::string TreeMeetings::cut_by(std::string_view audio) const {
  return std::string(awaited(audio)) + ".TextGrid";
}

std::string TreeMeetings::key_of(std::string_view audio, const Segment& segment) const {
  const std::string stem = stem_of(audio);
  if (segment.key.starts_with(stem)) return std::string(segment.key);
  return fmt::format("{}-{}", stem, segment.key);
}

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
    // Its transcript is unknown.
    TreeUtterance untold{.key = stem_of(audio)};
    if (!subset_of(audio).empty()) untold.subsets.emplace_back(subset_of(audio));
    if (options_.needs_tables)
      untold.lacks = fmt::format("there is no {} with its words and their times", cut_by(audio));
    return std::vector{std::move(untold)};
  }
  Recording& recording = found->second;
  recording.is_found = true;
  const auto [taken, is_first] = taken_.try_emplace(id_of(audio) + "/" + stem_of(audio), audio);
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
    const auto is_wanted = [&](const Segment& segment) {
      return segment.subsets.empty() || has_wanted_subset(words_of(segment.subsets), options_.subsets);
    };
    const auto wanted = std::count_if(recording.segments.begin(), recording.segments.end(), is_wanted);
    if (wanted == 0) continue;
    lose({.key = id,
          .error = Error(
              fmt::format("'{}' has {}, but there is no such audio", printable(id),
                          base::format_count(static_cast<std::uint64_t>(wanted), "transcribed segment")),
              at(std::string(recording.place))),
          .samples = static_cast<std::uint64_t>(wanted)});
  }
}

}  // namespace shardmill::source
