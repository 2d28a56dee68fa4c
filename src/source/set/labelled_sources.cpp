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

/// How the labels fit audio that counts as lying in a folder, or right in the one above.
struct Fit {
  std::size_t parts = 0;            // of names, that files and their rows have in common
  std::size_t with_folder = 0;      // files that have more than their names in common with their rows
  std::size_t of_other_number = 0;  // spk1/a.wav for a row about spk2/a.wav

  void add(const LabelTable& table, const std::string& name) {
    const auto audio = table.nearest_audio(name);
    if (!audio) return;
    const std::size_t common = common_parts(*audio, name);
    parts += common;
    with_folder += common > 1 ? 1 : 0;
    of_other_number += have_other_numbers(*audio, name) ? 1 : 0;
  }
};

/// Audio that is taken although its folder is not that of its row.
struct Doubt {
  std::size_t files = 0;
  std::string first{};

  void add(std::string_view audio, std::string_view file) {
    if (files++ == 0) first = taken_for(audio, file);
  }
  /// Empty without such audio.
  std::string sentence(std::string_view problem) const {
    if (files == 0) return {};
    const std::string more =
        files == 1 ? "" : fmt::format(", and {} more are taken so", base::format_count(files - 1));
    return fmt::format("{}: {}{}", problem, first, more);
  }
};

/// KEY.json beside KEY.wav: the rows of labels are the samples, and nothing of it is taken over.
class Descriptions {
 public:
  /// `names`: the files of one place.
  void add(const std::vector<std::string>& names) {
    std::set<std::string_view> audio;
    for (const std::string& name : names) {
      if (is_audio_name(name)) audio.insert(without_extension(name));
    }
    for (const std::string& name : names) {
      if (name.ends_with(".json") && audio.contains(without_extension(name)) && files_++ == 0) first_ = name;
    }
  }
  /// Empty without any.
  std::string sentence() const {
    if (files_ == 0) return {};
    return fmt::format("only its rows describe the samples: {} beside the audio {}, as {}",
                       base::format_count(files_, "JSON file"), files_ == 1 ? "is not read" : "are not read",
                       printable(first_));
  }

 private:
  std::size_t files_ = 0;
  std::string first_{};
};

/// The audio files in an archive, whose name may be that of a folder.
struct AudioArchive {
  std::string path;  // on the disk
  std::string name;  // its path in the tree
  std::vector<std::string> audio;
  Fit without_folder;
  Fit in_folder;
  Doubt of_other_folder{};  // without
};

/// The audio files of a dataset as a LabelCorpus is asked for them.
class AudioNames {
 public:
  explicit AudioNames(const LabelTable& table) : table_(table) {}

  void add(const std::string& place) {
    if (!base::is_folder(place)) return add_archive(place, place.substr(place.rfind('/') + 1));
    const std::string top = normal_path(place);
    const std::vector<std::string> files = files_below(place, [](std::string_view) { return true; });
    descriptions_.add(files);
    for (const std::string& file : files) {
      const std::string path = file.substr(file.find_first_not_of('/', place.size()));
      if (is_audio_name(file)) {
        compare_folders(top, path);
        names_.push_back(path);
      } else if (has_archive_name(file)) {
        add_archive(file, path);
      }
    }
  }

  /// The archives that count as folders: the rows name them so, or would else get the audio of another
  /// number. Where one does, all do whose files have nothing but their names in common with the rows.
  std::set<std::string> folders() const {
    const auto is_named = [](const AudioArchive& archive) {
      return archive.in_folder.parts > archive.without_folder.parts ||
             (archive.in_folder.parts == archive.without_folder.parts &&
              archive.in_folder.of_other_number > 0);
    };
    const bool is_likely = std::ranges::any_of(archives_, is_named);
    std::set<std::string> folders;
    for (const AudioArchive& archive : archives_) {
      if (is_named(archive) || (is_likely && archive.without_folder.with_folder == 0))
        folders.insert(normal_path(archive.path));
    }
    return folders;
  }

  /// A sentence, where the rows are about the audio of another folder than the one that is given. Of several
  /// archives, each may be one of many pieces.
  std::string doubt_of_folders(const std::set<std::string>& as_folders) const {
    if (of_other_number_.files > 0)
      return of_other_number_.sentence("the folder of its audio has another number");
    const bool is_alone = archives_.size() == 1 && names_.empty() && as_folders.empty();
    const Doubt& doubt = is_alone ? archives_.front().of_other_folder : of_other_folder_;
    return doubt.sentence("the folder of its audio has another name");
  }

  std::string doubt_of_descriptions() const { return descriptions_.sentence(); }

  std::vector<std::string> take(const std::set<std::string>& as_folders) && {
    for (AudioArchive& archive : archives_) {
      const std::string folder = folder_of(archive.path, archive.name, &as_folders);
      for (const std::string& name : archive.audio) names_.push_back(folder + name);
    }
    return std::move(names_);
  }

 private:
  void compare_folders(const std::string& top, const std::string& path) {
    if (++compared_ > kNamesEnough) return;
    const auto audio = table_.nearest_audio(path);
    if (!audio) return;
    const std::string name = fmt::format("{}/{}", tail_of(top, 1), path);
    if (have_other_numbers(*audio, name)) of_other_number_.add(*audio, name);
    const bool has_folder = path.find('/') != path.npos;
    if (!has_folder && is_of_other_folder(*audio, top + "/" + path)) of_other_folder_.add(*audio, name);
  }

  void add_archive(const std::string& path, const std::string& name) {
    AudioArchive archive{.path = path, .name = name, .audio = {}, .without_folder = {}, .in_folder = {}};
    std::size_t audio = 0;
    std::vector<std::string> entries = first_names(path, [&](const std::string& entry) {
      audio += is_audio_name(entry) ? 1 : 0;
      return audio >= kNamesEnough;
    });
    descriptions_.add(entries);
    for (std::string& entry : entries) {
      if (is_audio_name(entry)) archive.audio.push_back(std::move(entry));
    }
    const std::string above = folder_of(path, name, nullptr);
    const std::string folder = std::string(without_archive_suffix(name)) + "/";
    const std::string place(without_archive_suffix(normal_path(path)));
    for (const std::string& entry : archive.audio) {
      archive.without_folder.add(table_, above + entry);
      archive.in_folder.add(table_, folder + entry);
      const auto named = entry.find('/') == entry.npos ? table_.nearest_audio(entry) : std::nullopt;
      if (named && is_of_other_folder(*named, place + "/" + entry))
        archive.of_other_folder.add(*named, folder + entry);
    }
    archives_.push_back(std::move(archive));
  }

  const LabelTable& table_;
  std::vector<std::string> names_;
  std::vector<AudioArchive> archives_;
  Descriptions descriptions_;
  std::size_t compared_ = 0;
  Doubt of_other_number_;
  Doubt of_other_folder_;
};

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
    AudioNames audio(*table);
    std::vector<std::string> folders;
    for (const AudioPlace& place : places) {
      if (place.dataset != dataset || !base::exists(place.path)) continue;
      audio.add(place.path);
      if (base::is_folder(place.path)) folders.push_back(normal_path(place.path) + "/");
    }
    labelled.archives_as_folders = std::make_shared<const std::set<std::string>>(audio.folders());
    labelled.left_descriptions = audio.doubt_of_descriptions();
    const std::string doubt_of_folders = audio.doubt_of_folders(*labelled.archives_as_folders);
    const std::vector<std::string> names = std::move(audio).take(*labelled.archives_as_folders);
    const std::size_t enough = std::min(names.size(), kNamesEnough);
    const AudioRoots roots =
        table->learn_roots({names.begin(), names.begin() + static_cast<std::ptrdiff_t>(enough)});
    labelled.doubt = roots.doubt.empty() ? doubt_of_folders : roots.doubt;
    labelled.corpus = share_tree(
        std::make_shared<LabelCorpus>(table, roots, table->choices_among(names, roots), std::move(folders)));
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
  if (!labelled.left_descriptions.empty())
    warnings.emplace_back(labelled.left_descriptions, at(labelled.table->names()),
                          "put the fields that you need into the rows");
  for (const std::string& field : labelled.table->left_out())
    warnings.emplace_back(fmt::format("'{}' of Lhotse is left out", printable(field)),
                          at(labelled.table->names()));
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
          .archives_as_folders = by_dataset_.at(dataset).archives_as_folders};
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

/// Rows that name files of several extensions are about these, each about its own, if it is among them.
std::vector<LabelRow> LabelCorpus::rows_about(std::uint32_t recording, std::string_view audio) {
  std::vector<LabelRow> rows = table_->rows_of(recording);
  std::set<std::string> extensions;
  for (const LabelRow& row : rows) extensions.insert(extension_of(row));
  extensions.erase("");
  if (extensions.size() < 2) return rows;
  const std::string own = lower_extension(audio);
  if (!extensions.contains(own)) {
    found_extensions_[recording] = std::move(extensions);
    return rows;
  }
  found_extensions_[recording].insert(own);
  std::erase_if(rows,
                [&](const LabelRow& row) { return !extension_of(row).empty() && extension_of(row) != own; });
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

/// What lies right in an inner archive has no folder there. The archive may be one of many pieces, or the
/// folder that a row names.
LabelTable::Found LabelCorpus::recording_of(std::string_view audio, std::string_view with_archives) const {
  LabelTable::Found found = table_->find(audio, roots_);
  if (with_archives.empty()) return found;
  LabelTable::Found in_archives = table_->find(with_archives, roots_);
  const bool is_named = in_archives.recording.has_value();
  if (is_named) found = std::move(in_archives);
  if (!found.recording) return found;
  const std::string row = table_->rows_of(*found.recording).front().audio;
  const bool is_other =
      have_other_numbers(row, with_archives) ||
      (!is_named && audio.find('/') == audio.npos && is_of_other_folder(row, with_archives));
  if (!is_other) return found;
  return {.problem = fmt::format("only its name agrees with that of '{}'", printable(row))};
}

std::optional<std::vector<TreeUtterance>> LabelCorpus::find_packed(std::string_view audio,
                                                                   std::string_view with_archives) {
  for (const std::string& folder : folders_) {
    if (!audio.starts_with(folder)) continue;
    audio.remove_prefix(folder.size());
    break;
  }
  const LabelTable::Found found = recording_of(audio, with_archives);
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
    utterance.recording_channels = row.recording_channels;
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
    const auto found = found_extensions_.find(recording);
    const bool are_some_found = found != found_extensions_.end();
    if ((is_found_[recording] && !are_some_found) || choices_.several.contains(recording)) continue;
    std::vector<LabelRow> rows = table_->rows_of(recording);
    std::erase_if(rows, [&](const LabelRow& row) {
      const std::string extension = extension_of(row);
      return !row.problem.empty() ||
             (are_some_found && (extension.empty() || found->second.contains(extension)));
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
