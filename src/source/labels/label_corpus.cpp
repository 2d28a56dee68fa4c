#include "source/labels/label_corpus.hpp"

#include <fmt/format.h>

#include "source/file_name.hpp"

namespace shardmill::source {

TreeCorpus::Role LabelCorpus::role(std::string_view path) const {
  return is_audio_name(path) ? Role::audio : Role::other;
}

std::optional<std::vector<TreeUtterance>> LabelCorpus::find(std::string_view audio) {
  for (const std::string& folder : folders_) {
    if (!audio.starts_with(folder)) continue;
    audio.remove_prefix(folder.size());
    break;
  }
  const LabelTable::Found found = table_->find(audio, roots_);
  std::vector<TreeUtterance> utterances;
  if (!found.recording) {
    TreeUtterance& unlisted = utterances.emplace_back();
    unlisted.key = without_extension(audio);
    unlisted.lacks = found.problem.empty() ? fmt::format("no row of {} is about it", table_->names())
                                           : fmt::format("{} of {}", found.problem, table_->names());
    unlisted.is_unlisted = true;
    return utterances;
  }
  is_found_[*found.recording] = true;
  for (LabelRow& row : table_->rows_of(*found.recording)) {
    TreeUtterance& utterance = utterances.emplace_back();
    utterance.key = table_->key_of(row);
    utterance.text = std::move(row.text);
    utterance.facts.members(row.facts);
    utterance.begin_seconds = row.begin_seconds;
    utterance.end_seconds = row.end_seconds;
    utterance.seconds = row.seconds;
    utterance.channel = row.channel;
    utterance.keeps_to_seconds = row.keeps_to_seconds;
    if (!(row.begin_seconds < row.end_seconds)) utterance.named_in = table_->place_of(row);
  }
  return utterances;
}

void LabelCorpus::report_rest(const Lose& lose) const {
  for (std::uint32_t recording = 0; recording < is_found_.size(); ++recording) {
    if (is_found_[recording]) continue;
    std::string place;  // of the first row
    for (const LabelRow& row : table_->rows_of(recording)) {
      if (place.empty()) place = table_->place_of(row);
      lose({.key = table_->key_of(row),
            .error = Error(fmt::format("there is no audio '{}'", printable(row.audio)), at(place))});
    }
  }
}

}  // namespace shardmill::source
