#include "source/texts/tree_recordings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/units.hpp"
#include "source/texts/tree_table.hpp"

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
