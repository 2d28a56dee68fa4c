#include "source/folders/downloads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <utility>

#include "base/io/folder.hpp"
#include "source/archive_index.hpp"
#include "source/file_name.hpp"
#include "source/folders/file_search.hpp"
#include "source/set/finished_dataset.hpp"

namespace shardmill::source {

namespace {

std::string last_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

/// Of Hugging Face, whose names before it may be hashes.
constexpr std::string_view kIncomplete = ".incomplete";

namespace fs = std::filesystem;

Error both_error(const Corpus& corpus, const std::string& folder, const std::string& archive) {
  const std::vector<std::string> audio = files_below(folder, is_audio_name);
  const std::string first = audio.empty() ? folder : audio.front();
  const std::string problem = fmt::format(
      "holds archives of audio, such as {}, and an unpacked corpus, with {}: only one of the two "
      "would be read",
      printable(archive), printable(first));
  const fs::path below = fs::path(first).lexically_relative(folder);
  std::string advice = "move the archives or the unpacked files to another folder";
  if (std::distance(below.begin(), below.end()) > 1) {
    advice +=
        fmt::format(", or give them as separate sources of one name: NAME={} NAME={}:{}", printable(archive),
                    corpus.prefix, printable((fs::path(folder) / *below.begin()).string()));
  }
  return Error(problem, at(folder), advice);
}

}  // namespace

bool holds_audio(const std::string& archive) {
  bool found = false;
  first_names(archive, [&](const std::string& name) {
    found = is_audio_name(name) || is_headerless_name(name) || has_archive_name(name);
    return found;
  });
  return found;
}

void check_downloads(const std::string& given, const std::vector<Download>& downloads) {
  std::vector<const Download*> kinds;  // the first of each
  for (const Download& each : downloads) {
    const bool is_known = std::any_of(kinds.begin(), kinds.end(),
                                      [&](const Download* other) { return other->corpus == each.corpus; });
    if (!is_known && (each.corpus != nullptr || holds_audio(each.path))) kinds.push_back(&each);
  }
  if (kinds.size() < 2) return;
  std::string list;
  std::string sources;
  for (const Download* each : kinds) {
    const std::string what =
        each->corpus != nullptr ? std::string(each->corpus->prefix) : "shards or audio of another kind";
    list += fmt::format("{}{} in {}", list.empty() ? "" : ", ", what, printable(last_name(each->path)));
    const std::string prefix =
        each->corpus != nullptr ? fmt::format("{0}={0}:", each->corpus->prefix) : "NAME=";
    sources += fmt::format(" {}{}", prefix, printable(each->path));
  }
  throw Error(fmt::format("holds archives of more than one corpus: {}", list), at(given),
              fmt::format("give each as a source of its own:{}", sources));
}

std::optional<std::string_view> finished_name(std::string_view file_name) {
  // Those of Firefox and wget's friends, Chromium, aria2, Safari, Opera, qBittorrent, rsync's friends,
  // FileZilla, wget and Hugging Face.
  constexpr std::array<std::string_view, 11> kEndings{".part",       ".crdownload", ".aria2",   ".download",
                                                      ".opdownload", ".partial",    ".!qB",     ".tmp",
                                                      ".filepart",   ".wget",       kIncomplete};
  for (const std::string_view ending : kEndings) {
    if (file_name.size() <= ending.size() || !file_name.ends_with(ending)) continue;
    file_name.remove_suffix(ending.size());
    return file_name;
  }
  return std::nullopt;
}

std::vector<UnfinishedDownload> unfinished_downloads(const std::string& folder) {
  std::vector<UnfinishedDownload> found;
  const auto is_unfinished = [](std::string_view name) { return finished_name(name).has_value(); };
  for (std::string& path : files_below(folder, is_unfinished)) {
    const std::string file = last_name(path);
    const std::string_view done = *finished_name(file);
    const bool is_of_corpus =
        has_archive_name(done) || is_audio_name(done) || std::string_view(file).ends_with(kIncomplete);
    found.push_back({.path = std::move(path), .is_of_corpus = is_of_corpus});
  }
  const std::string cache = folder + "/.cache/huggingface";
  if (!base::is_folder(cache)) return found;
  for (std::string& path :
       files_below(cache, [](std::string_view name) { return name.ends_with(kIncomplete); }))
    found.push_back({.path = std::move(path), .is_of_corpus = true});
  return found;
}

std::vector<std::string> archives_beside(const Corpus& corpus, const std::string& folder) {
  std::vector<std::string> archives = files_below(folder, has_archive_name);
  const auto reader = corpus.make({});
  std::erase_if(archives, [&](const std::string& archive) {
    const fs::path place = fs::path(archive).parent_path();
    // Nothing else of that folder is read.
    if (corpus.is_one_folder) return place != fs::path(folder);
    // Shards that were made of a corpus do not belong to it.
    if (is_dataset(place.string()) || is_dataset(place.parent_path().string())) return true;
    return reader->packed() != TreeCorpus::Packed::no && reader->is_pack(archive);
  });
  return archives;
}

LeftBeside check_beside(const Corpus& corpus, const std::string& folder,
                        const std::vector<std::string>& archives) {
  LeftBeside left;
  for (const std::string& archive : archives) {
    bool has_audio = false;
    try {
      has_audio = holds_audio(archive);
    } catch (const Error& error) {
      left.unusable.push_back(error.within(at(archive)));
      continue;
    }
    if (has_audio) throw both_error(corpus, folder, archive);
    left.warnings.emplace_back("is left out: it holds no audio, and the corpus lies unpacked beside it",
                               at(archive));
  }
  return left;
}

}  // namespace shardmill::source
