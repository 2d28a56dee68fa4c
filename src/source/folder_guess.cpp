#include "source/folder_guess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "base/io/folder.hpp"
#include "base/text/units.hpp"
#include "source/detection.hpp"
#include "source/file_name.hpp"
#include "source/folders/file_search.hpp"
#include "source/names/paths.hpp"

namespace shardmill::source {

namespace {

namespace fs = std::filesystem;

std::string list_of(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    text += i == 0 ? "" : i + 1 == items.size() ? " and " : ", ";
    text += items[i];
  }
  return text;
}

/// Audio by its extension, then single files by name, and by extension where there are many.
std::string describe(const std::vector<std::string>& paths) {
  constexpr std::size_t kMostNamed = 3;  // of one extension
  constexpr std::size_t kMostItems = 6;
  constexpr std::size_t kLongestName = 60;
  std::map<std::pair<bool, std::string>, std::vector<std::string_view>> groups;  // not audio, extension
  for (const std::string& path : paths) {
    const std::string name = fs::path(path).filename().string();
    groups[{!is_audio_name(name), std::string(audio_name(name).extension)}].push_back(path);
  }
  std::vector<std::string> items;
  for (const auto& [group, files] : groups) {
    const auto& [is_other, extension] = group;
    if (!is_other || files.size() > kMostNamed) {
      const std::string kind =
          extension.empty() ? "file without extension" : fmt::format(".{} file", printable(extension));
      items.push_back(base::format_count(files.size(), kind));
      continue;
    }
    for (const std::string_view file : files) {
      const std::string name = fs::path(file).filename().string();
      if (name.size() <= kLongestName) items.push_back(printable(name));
    }
  }
  if (items.size() > kMostItems) {
    items.resize(kMostItems - 1);
    items.emplace_back("others");
  }
  return list_of(items);
}

void set_corpus(const Corpus& corpus, FolderGuess& guess) {
  guess.corpus = corpus.name;
  guess.is_read = corpus.is_read();
  guess.prefix = corpus.prefix;
}

}  // namespace

FolderGuess guess_archive(const std::string& path) {
  FolderGuess guess;
  if (const Corpus* corpus = corpus_in_archive(path)) {
    set_corpus(*corpus, guess);
    guess.missing = corpus->needed;
  }
  return guess;
}

FolderGuess guess_folder(const std::string& path) {
  fs::path folder = normal_path(path);
  if (!base::is_folder(folder)) folder = folder.parent_path();
  const auto inside = files_below(folder.string(), [](std::string_view) { return true; });
  FolderGuess guess;
  guess.contents = describe(inside);
  auto all = inside;
  for (std::string& other : files_above(folder.string())) all.push_back(std::move(other));
  // First by transcripts in the given folder, then also by those above it, then by audio alone.
  for (const auto* paths : {&inside, &std::as_const(all)}) {
    for (const Corpus* corpus : all_corpora()) {
      if (!any_matches(corpus->texts, *paths)) continue;
      if (!corpus->beside_texts.empty() && !any_matches(corpus->beside_texts, inside)) continue;
      set_corpus(*corpus, guess);
      if (!corpus->splits_table.empty() && !any_matches(corpus->splits_table, *paths))
        guess.missing = corpus->needed;
      if (paths != &inside)
        guess.texts = *std::find_if(all.begin(), all.end(),
                                    [&](const std::string& each) { return matches(corpus->texts, each); });
      return guess;
    }
  }
  for (const Corpus* corpus : all_corpora()) {
    if (corpus->audio.empty() || !any_matches(corpus->audio, inside)) continue;
    set_corpus(*corpus, guess);
    guess.missing = corpus->needed;
    return guess;
  }
  // A list of audio without its texts.
  for (const Corpus* corpus : all_corpora()) {
    if (corpus->is_tree() || corpus->is_in == nullptr || !corpus->is_in(folder.string())) continue;
    if (base::exists((folder / corpus->needed).string())) continue;
    set_corpus(*corpus, guess);
    guess.missing = corpus->needed;
  }
  return guess;
}

}  // namespace shardmill::source
