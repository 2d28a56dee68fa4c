#include "source/labels/label_corpus.hpp"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "base/text/units.hpp"
#include "source/file_name.hpp"

namespace shardmill::source {

TreeCorpus::Role LabelCorpus::role(std::string_view path) const {
  return is_audio_name(path) ? Role::audio : Role::other;
}

std::string LabelCorpus::why_none(std::string_view audio, const LabelTable::Found& found) const {
  if (!found.recording)
    return found.problem.empty() ? fmt::format("no row of {} is about it", table_->names())
                                 : fmt::format("{} of {}", found.problem, table_->names());
  if (const auto several = choices_.several.find(*found.recording); several != choices_.several.end())
    return fmt::format("a row of {} fits several files, {}", table_->names(), several->second);
  if (choices_.exact.contains(*found.recording) && !table_->has_extension_of(*found.recording, audio))
    return fmt::format("no row of {} is about it: there is a file with the very name in the row",
                       table_->names());
  return {};
}

std::optional<std::vector<TreeUtterance>> LabelCorpus::find(std::string_view audio) {
  for (const std::string& folder : folders_) {
    if (!audio.starts_with(folder)) continue;
    audio.remove_prefix(folder.size());
    break;
  }
  const LabelTable::Found found = table_->find(audio, roots_);
  std::vector<TreeUtterance> utterances;
  if (std::string lacks = why_none(audio, found); !lacks.empty()) {
    TreeUtterance& unlisted = utterances.emplace_back();
    unlisted.key = without_extension(audio);
    unlisted.lacks = std::move(lacks);
    unlisted.is_unlisted = true;
    return utterances;
  }
  is_found_[*found.recording] = true;
  // Two label files may name one stretch differently. It is one sample, which comes twice.
  std::map<std::tuple<double, double, std::optional<std::uint64_t>>, std::string> keys;
  for (LabelRow& row : table_->rows_of(*found.recording)) {
    if (!row.problem.empty()) continue;  // It is reported already.
    TreeUtterance& utterance = utterances.emplace_back();
    utterance.key = table_->key_of(row);
    if (row.key.empty())
      utterance.key =
          keys.try_emplace({row.begin_seconds, row.end_seconds, row.channel}, utterance.key).first->second;
    utterance.text = std::move(row.text);
    utterance.facts.members(row.facts);
    utterance.begin_seconds = row.begin_seconds;
    utterance.end_seconds = row.end_seconds;
    utterance.seconds = row.seconds;
    utterance.channel = row.channel;
    utterance.keeps_to_seconds = row.keeps_to_seconds;
    utterance.recording_seconds = row.recording_seconds;
    utterance.named_in = table_->place_of(row);
  }
  return utterances;
}

void LabelCorpus::report_rest(const Lose& lose) const {
  // Of millions of rows, those of a recording are lost together: each has a message, which takes memory.
  constexpr std::size_t kMostNamed = 100'000;
  std::size_t named = 0;
  for (std::uint32_t recording = 0; recording < is_found_.size(); ++recording) {
    if (is_found_[recording] || choices_.several.contains(recording)) continue;
    std::vector<LabelRow> rows = table_->rows_of(recording);
    std::erase_if(rows, [](const LabelRow& row) { return !row.problem.empty(); });
    if (rows.empty()) continue;
    named += rows.size();
    const std::string place = table_->place_of(rows.front());
    const std::string problem = fmt::format("there is no audio '{}'", printable(rows.front().audio));
    if (named > kMostNamed) {
      lose({.key = table_->key_of(rows.front()),
            .error =
                Error(fmt::format("{}, which {} are about", problem, base::format_count(rows.size(), "row")),
                      at(place)),
            .samples = rows.size()});
      continue;
    }
    for (const LabelRow& row : rows)
      lose({.key = table_->key_of(row),
            .error = Error(fmt::format("there is no audio '{}'", printable(row.audio)), at(place))});
  }
}

}  // namespace shardmill::source
