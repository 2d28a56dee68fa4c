#include "source/texts/tree_meetings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "source/names/audio_name.hpp"
#include "source/texts/text_grid.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

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

}  // namespace shardmill::source
