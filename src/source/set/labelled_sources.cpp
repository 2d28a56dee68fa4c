#include "source/set/labelled_sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/io/folder.hpp"
#include "base/text/letters.hpp"
#include "base/text/units.hpp"
#include "source/archive_entries.hpp"
#include "source/file_name.hpp"
#include "source/folders/file_search.hpp"

namespace shardmill::source {

namespace {

/// Of an archive, and to learn how the folders of the labels fit those of the audio.
constexpr std::size_t kNamesEnough = 20'000;

/// Of audio files as a LabelCorpus is asked for them; to learn how the paths of labels fit them.
struct AudioNames {
  /// Those of one archive.
  struct Archive {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::string folder;  // that it lies in, with a slash at the end
    std::string name;
  };

  std::vector<std::string> names;
  std::vector<Archive> archives;
};

/// `path`: of the archive as the names in it are to begin.
void add_names_in(const std::string& archive, const std::string& path, AudioNames& into) {
  AudioNames::Archive here{
      .begin = into.names.size(), .folder = folder_of_archive(path, false), .name = path};
  std::size_t audio = 0;
  for (const std::string& name : first_names(archive, [&](const std::string& name) {
         audio += is_audio_name(name) ? 1 : 0;
         return audio >= kNamesEnough;
       })) {
    if (is_audio_name(name)) into.names.push_back(here.folder + name);
  }
  here.end = into.names.size();
  into.archives.push_back(std::move(here));
}

void add_names(const std::string& place, AudioNames& into) {
  if (!base::is_folder(place)) return add_names_in(place, place.substr(place.rfind('/') + 1), into);
  for (const std::string& file : files_below(place, [](std::string_view) { return true; })) {
    const std::string path = file.substr(file.find_first_not_of('/', place.size()));
    if (is_audio_name(file)) {
      into.names.push_back(path);
    } else if (has_archive_name(file)) {
      add_names_in(file, path, into);
    }
  }
}

/// The names if each archive counts as a folder of its name.
std::vector<std::string> names_in_folders(AudioNames audio) {
  for (const AudioNames::Archive& archive : audio.archives) {
    const std::string folder = folder_of_archive(archive.name, true);
    for (std::size_t i = archive.begin; i < archive.end; ++i)
      audio.names[i].replace(0, archive.folder.size(), folder);
  }
  return std::move(audio.names);
}

/// How the paths of labels fit those of audio.
struct Fitting {
  std::vector<std::string> names;
  AudioRoots roots;
  std::size_t found = 0;  // of the names
};

Fitting fitting_of(std::vector<std::string> names, const LabelTable& table) {
  const auto enough = static_cast<std::ptrdiff_t>(std::min(names.size(), kNamesEnough));
  Fitting fitting;
  fitting.roots = table.learn_roots({names.begin(), names.begin() + enough});
  fitting.found = static_cast<std::size_t>(std::count_if(
      names.begin(), names.begin() + enough,
      [&](const std::string& name) { return table.find(name, fitting.roots).recording.has_value(); }));
  fitting.names = std::move(names);
  return fitting;
}

}  // namespace

LabelledSources::LabelledSources(const std::vector<LabelFile>& labels, const std::vector<AudioPlace>& places,
                                 const TreeOptions& options) {
  for (const LabelFile& file : labels) {
    if (std::any_of(places.begin(), places.end(),
                    [&](const auto& place) { return place.dataset == file.dataset; }))
      by_dataset_[file.dataset].files.push_back(file.path);
  }
  for (auto& [dataset, labelled] : by_dataset_) {
    labelled.table = std::make_shared<const LabelTable>(labelled.files, options.text_field_of(dataset));
    const auto& table = labelled.table;
    AudioNames audio;
    std::vector<std::string> folders;
    for (const AudioPlace& place : places) {
      if (place.dataset != dataset || !base::exists(place.path)) continue;
      add_names(place.path, audio);
      if (base::is_folder(place.path)) folders.push_back(normal_path(place.path) + "/");
    }
    Fitting fitting = fitting_of(audio.names, *table);
    if (!audio.archives.empty() && fitting.found < std::min(audio.names.size(), kNamesEnough)) {
      Fitting in_folders = fitting_of(names_in_folders(std::move(audio)), *table);
      labelled.archives_are_folders = in_folders.found > fitting.found;
      if (labelled.archives_are_folders) fitting = std::move(in_folders);
    }
    labelled.doubt = fitting.roots.doubt;
    labelled.corpus = share_tree(std::make_shared<LabelCorpus>(
        table, fitting.roots, table->choices_among(fitting.names, fitting.roots), std::move(folders)));
  }
}

const std::vector<std::string>& LabelledSources::files_of(const std::string& dataset) const {
  return by_dataset_.at(dataset).files;
}

void LabelledSources::check_texts(const std::string& dataset, const TreeOptions& options) const {
  const LabelTable& table = *by_dataset_.at(dataset).table;
  if (table.may_have_texts()) return;
  const std::string columns = table.columns();
  throw Error(
      fmt::format("has no row with a {}{}",
                  options.text_field.empty() ? "transcript"
                                             : fmt::format("text called '{}'", printable(options.text_field)),
                  columns.empty() ? "" : fmt::format(": its columns are {}", columns)),
      at(table.names()), Remedy::allow_audio_alone);
}

std::vector<Error> LabelledSources::warnings_about(const std::string& dataset) const {
  const Labelled& labelled = by_dataset_.at(dataset);
  std::vector<Error> warnings = labelled.table->doubts();
  if (!labelled.doubt.empty())
    warnings.emplace_back(labelled.doubt, at(labelled.table->names()), "compare the folders");
  for (const std::string& field : labelled.table->left_out())
    warnings.emplace_back(fmt::format("'{}' of Lhotse is left out", printable(field)),
                          at(labelled.table->names()));
  if (auto warning = labelled.table->longer_texts()) warnings.push_back(std::move(*warning));
  return warnings;
}

void LabelledSources::report_bad(const std::string& dataset, const LoseUtterance& lose) const {
  by_dataset_.at(dataset).table->report_bad(lose);
}

ArchivedTree LabelledSources::tree_of(const std::string& dataset) const {
  return {.corpus = {},
          .begin = [corpus = by_dataset_.at(dataset).corpus] { return corpus; },
          .is_part = true,
          .is_late = true,
          .is_folder_of_its_name = by_dataset_.at(dataset).archives_are_folders};
}

std::function<void(const LoseUtterance&)> LabelledSources::rest_of(const std::string& dataset) const {
  return [corpus = by_dataset_.at(dataset).corpus](const LoseUtterance& lose) { corpus->report_rest(lose); };
}

TreeCorpus::Role LabelCorpus::role(std::string_view path) const {
  return is_audio_name(path) ? Role::audio : Role::other;
}

namespace {

std::string lower_extension(std::string_view audio) {
  return base::lower(audio_name(audio).extension);
}

}  // namespace

std::vector<LabelRow> LabelCorpus::rows_about(std::uint32_t recording, std::string_view audio) const {
  std::vector<LabelRow> rows = table_->rows_of(recording);
  const auto exact = choices_.exact.find(recording);
  if (exact != choices_.exact.end() && exact->second.size() > 1)
    std::erase_if(rows, [&](const LabelRow& row) { return extension_of(row) != lower_extension(audio); });
  return rows;
}

std::string LabelCorpus::why_none(std::string_view audio, const LabelTable::Found& found) const {
  if (!found.recording)
    return found.problem.empty() ? fmt::format("no row of {} is about it", table_->names())
                                 : fmt::format("{} of {}", found.problem, table_->names());
  if (const auto several = choices_.several.find(*found.recording); several != choices_.several.end())
    return fmt::format("a row of {} fits several files, {}", table_->names(), several->second);
  const auto exact = choices_.exact.find(*found.recording);
  if (exact != choices_.exact.end() && !exact->second.contains(lower_extension(audio)))
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
  for (const std::uint32_t shorter : table_->shorter_names(audio, *found.recording))
    longer_names_.try_emplace(shorter, *found.recording);
  // Two label files may name one stretch differently. It is one sample, which comes twice.
  std::map<std::tuple<double, double, std::optional<std::uint64_t>>, std::string> keys;
  for (LabelRow& row : rows_about(*found.recording, audio)) {
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

std::string LabelCorpus::why_missing(std::uint32_t recording, const std::string& audio) const {
  const std::string problem = fmt::format("there is no audio '{}'", printable(audio));
  const auto longer = longer_names_.find(recording);
  if (longer == longer_names_.end()) return problem;
  return fmt::format("{} but the one of the rows that name '{}': all rows about it have to name it alike",
                     problem, printable(table_->rows_of(longer->second).front().audio));
}

void LabelCorpus::report_rest(const Lose& lose) const {
  // Of millions of rows, those of a recording are lost together: each has a message, which takes memory.
  constexpr std::size_t kMostNamed = 100'000;
  std::size_t named = 0;
  for (std::uint32_t recording = 0; recording < is_found_.size(); ++recording) {
    const auto exact = choices_.exact.find(recording);
    const bool are_apart = exact != choices_.exact.end() && exact->second.size() > 1;
    if ((is_found_[recording] && !are_apart) || choices_.several.contains(recording)) continue;
    std::vector<LabelRow> rows = table_->rows_of(recording);
    std::erase_if(rows, [&](const LabelRow& row) {
      return !row.problem.empty() || (are_apart && exact->second.contains(extension_of(row)));
    });
    if (rows.empty()) continue;
    named += rows.size();
    const std::string place = table_->place_of(rows.front());
    const std::string problem = why_missing(recording, rows.front().audio);
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
            .error = Error(why_missing(recording, row.audio), at(table_->place_of(row)))});
  }
}

}  // namespace shardmill::source
