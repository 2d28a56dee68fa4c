#include "dataset/kaldi_audio.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/io/line_reader.hpp"
#include "dataset/index_files.hpp"
#include "dataset/indexes/kaldi_lists.hpp"
#include "dataset/indexes/listed_root.hpp"
#include "manifest/form_names.hpp"
#include "manifest/layout.hpp"
#include "manifest/path_lists.hpp"

namespace shardmill::dataset {

namespace {

/// The lines of a file beside the lines that it should have.
class AudioComparison {
 public:
  explicit AudioComparison(const std::string& path) : lines_(path) {}

  void compare(std::string_view wanted) {
    wanted.remove_suffix(1);
    std::string_view line;
    const bool is_same = lines_.next(line) && line == wanted && lines_.line_was_ended();
    ++wanted_lines_;
    if (!is_same && first_wrong_ == 0) first_wrong_ = wanted_lines_;
  }

  /// 0: none.
  std::uint64_t first_wrong() {
    std::string_view line;
    if (first_wrong_ == 0 && lines_.next(line)) first_wrong_ = wanted_lines_ + 1;
    return first_wrong_;
  }

 private:
  base::LineReader lines_;
  std::uint64_t wanted_lines_ = 0;
  std::uint64_t first_wrong_ = 0;
};

/// Reports a file that is missing or cannot be opened.
std::optional<AudioComparison> comparison_with(const std::string& path, FindingList& findings) {
  if (!base::exists(path)) {
    findings.add_cause(at(path), "is missing");
    return std::nullopt;
  }
  try {
    return std::optional<AudioComparison>(std::in_place, path);
  } catch (const Error& error) {
    findings.add_cause(error);
    return std::nullopt;
  }
}

void report(const std::string& path, std::optional<AudioComparison>& comparison, FindingList& findings) {
  if (!comparison) return;
  if (const std::uint64_t line = comparison->first_wrong(); line != 0)
    findings.add_cause(at(path), fmt::format("line {} is not what the manifests and data.list say", line));
}

}  // namespace

bool has_kaldi_lists(const DatasetRecords& records) {
  return records.checksums && records.checksums->contains(std::string(manifest::kKaldiDurations));
}

void check_kaldi_audio(const DatasetRecords& records, base::Reporter& reporter, FindingList& findings) {
  if (!has_kaldi_lists(records) || !records.shards || records.shards->empty()) return;
  const std::string audio_path = records.path(manifest::kKaldiAudio);
  const std::string places_path = records.path(manifest::kKaldiPlaces);
  auto audio = comparison_with(audio_path, findings);
  auto places = comparison_with(places_path, findings);
  if (!audio && !places) return;
  try {
    const auto root = root_in_list(records);
    if (!root) return;
    for_each_kaldi_audio(shards_below(records, *root), reporter,
                         [&](std::string_view audio_line, std::string_view place_line) {
                           if (audio) audio->compare(audio_line);
                           if (places) places->compare(place_line);
                         });
    report(audio_path, audio, findings);
    report(places_path, places, findings);
  } catch (const base::Interrupted&) {
    throw;
  } catch (const Error& error) {
    const std::string& path = error.where().path;
    if (path == audio_path || path == places_path) findings.add_cause(error);  // the others are not these
  }
}

void write_kaldi_audio(const DatasetRecords& records, const std::string& root, base::Reporter& reporter) {
  base::AtomicFile audio(records.path(manifest::kKaldiAudio));
  base::AtomicFile places(records.path(manifest::kKaldiPlaces));
  for_each_kaldi_audio(shards_below(records, root), reporter,
                       [&](std::string_view audio_line, std::string_view place_line) {
                         audio.write(audio_line);
                         places.write(place_line);
                       });
  audio.commit();
  places.commit();
}

}  // namespace shardmill::dataset
