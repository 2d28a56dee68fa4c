#include "source/detection.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "base/io/folder.hpp"
#include "base/io/line_reader.hpp"
#include "base/text/letters.hpp"
#include "base/text/units.hpp"
#include "source/archive_entries.hpp"
#include "source/file_name.hpp"
#include "source/folders/file_search.hpp"
#include "source/tables/table_records.hpp"

namespace shardmill::source {

namespace {

namespace fs = std::filesystem;

/// A few files of each kind in each folder: a million more of the same kind say nothing new.
std::vector<std::string> some_of_each(std::vector<std::string> paths) {
  constexpr std::size_t kMost = 8;
  std::vector<std::string> some;
  std::map<std::string, std::size_t> counts;
  std::string folder;
  for (std::string& path : paths) {
    std::string own = path.substr(0, path.rfind('/') + 1);
    if (own != folder) {
      counts.clear();
      folder = std::move(own);
    }
    if (++counts[std::string(audio_name(path).extension)] <= kMost) some.push_back(std::move(path));
  }
  return some;
}

/// A corpus that is read as a tree, by its transcripts in `path` or above it.
const Corpus* corpus_by_texts(const std::string& path) {
  fs::path folder = normal_path(path);
  const auto inside = some_of_each(files_below(folder.string(), [](std::string_view) { return true; }));
  const auto fits = [&](const Corpus& corpus, const std::vector<std::string>& texts) {
    return corpus.is_tree() && corpus.is_in == nullptr && corpus.shared_ending.empty() &&
           any_matches(corpus.texts, texts) &&
           (corpus.beside_texts.empty() || any_matches(corpus.beside_texts, inside));
  };
  for (const Corpus* corpus : all_corpora()) {
    if (fits(*corpus, inside)) return corpus;
  }
  const auto above = files_above(folder.string());
  for (const Corpus* corpus : all_corpora()) {
    if (any_matches(corpus->audio, inside) && fits(*corpus, above)) return corpus;
  }
  return nullptr;
}

/// Names that were seen while a folder was searched.
struct Seen {
  bool audio = false;
  bool headerless = false;
  bool archives = false;
  std::vector<const Corpus*> by_ending{};  // whose shared_ending a name has

  void take(std::string_view name) {
    audio = audio || is_audio_name(name);
    headerless = headerless || is_headerless_name(name);
    archives = archives || has_archive_name(name);
    for (const Corpus* corpus : all_corpora()) {
      const std::string_view ending = corpus->shared_ending;
      if (ending.empty() ||
          !(name.ends_with(ending) || (ending.starts_with('/') && name == ending.substr(1))))
        continue;
      if (std::find(by_ending.begin(), by_ending.end(), corpus) == by_ending.end())
        by_ending.push_back(corpus);
    }
  }
};

const Corpus* corpus_of_folder(const std::string& folder, const Seen& seen) {
  for (const Corpus* corpus : all_corpora()) {
    if (corpus->is_in != nullptr && corpus->is_in(folder)) return corpus;
  }
  if (seen.audio || seen.headerless || seen.archives) {
    if (const Corpus* corpus = corpus_by_texts(folder)) return corpus;
  }
  for (const Corpus* corpus : all_corpora()) {
    const auto& found = seen.by_ending;
    if (std::find(found.begin(), found.end(), corpus) != found.end()) return corpus;
    if (corpus->takes_any_audio && seen.audio) return corpus;
  }
  return nullptr;
}

/// Decides between a corpus and a shard by the names in an archive, one after the other. Where each audio
/// file has a transcript beside it, it is a shard, whatever its folders are called, unless the corpus is
/// packed so, too.
class NameJudge {
 public:
  /// True when the next names cannot change the answer.
  bool take(const std::string& name) {
    constexpr std::size_t kNamesAfter = 4;
    constexpr std::size_t kAudioEnough = 8;  // of no known corpus
    const std::string_view stem = without_extension(name);
    if (stem == last_stem_ && (is_audio_name(name) || is_audio_name(last_))) {
      const std::string_view other = is_audio_name(name) ? std::string_view(last_) : std::string_view(name);
      has_pairs_ = has_pairs_ || has_extension(other, "txt");
    }
    last_stem_ = stem;
    last_ = name;
    if (is_audio_name(name)) ++audio_;
    if (found_ != nullptr) return ++after_ >= kNamesAfter;
    found_ = corpus_by_name(name);
    return found_ == nullptr && audio_ >= kAudioEnough;
  }

  const Corpus* verdict() const {
    return found_ != nullptr && has_pairs_ && !found_->has_text_beside ? nullptr : found_;
  }

 private:
  const Corpus* found_ = nullptr;
  std::string last_;
  std::string last_stem_;
  bool has_pairs_ = false;
  std::size_t audio_ = 0;
  std::size_t after_ = 0;
};

bool fits_one_of(std::string_view patterns, const std::string& path) {
  while (!patterns.empty()) {
    const std::size_t end = std::min(patterns.find('|'), patterns.size());
    if (::fnmatch(std::string(patterns.substr(0, end)).c_str(), path.c_str(), 0) == 0) return true;
    patterns.remove_prefix(std::min(end + 1, patterns.size()));
  }
  return false;
}

/// "a/B.wav" for "a/B.WAV": audio is the same in any case of its extension.
std::string with_small_extension(const std::string& path) {
  if (!is_audio_name(path) && !is_headerless_name(path)) return path;
  const std::size_t dot = path.rfind('.') + 1;
  return path.substr(0, dot) + base::lower(std::string_view(path).substr(dot));
}

}  // namespace

bool matches(std::string_view patterns, const std::string& path) {
  if (fits_one_of(patterns, path)) return true;
  const std::string small = with_small_extension(path);
  return small != path && fits_one_of(patterns, small);
}

bool any_matches(std::string_view patterns, const std::vector<std::string>& paths) {
  return std::any_of(paths.begin(), paths.end(),
                     [&](const std::string& path) { return matches(patterns, path); });
}

std::vector<std::string> files_above(const std::string& folder) {
  constexpr int kLevels = 3;
  std::vector<std::string> paths;
  fs::path above = folder;
  for (int level = 0; level < kLevels && above.has_relative_path(); ++level) {
    above = above.parent_path();
    try {
      for (const fs::path& entry : base::entries(above)) {
        paths.push_back(entry.string());
        if (entry.filename() != "transcript" && entry.filename() != "stm") continue;
        for (const fs::path& inner : base::entries(entry)) paths.push_back(inner.string());
      }
    } catch (const Error&) {
      break;  // The user did not name that folder.
    }
  }
  return paths;
}

FolderContents look_into(const std::string& folder) {
  FolderContents contents;
  Seen seen;
  contents.shards = files_below(folder, [&](std::string_view name) {
    seen.take(name);
    return has_archive_name(name);
  });
  contents.corpus = corpus_of_folder(folder, seen);
  // Its speakers, or parts of it, may still be packed.
  if (contents.corpus != nullptr && contents.corpus->is_tree()) {
    const auto reader = contents.corpus->make({});
    if (reader->packed() != TreeCorpus::Packed::no)
      std::erase_if(contents.shards, [&](const std::string& path) { return reader->is_pack(path); });
  }
  return contents;
}

const Corpus* corpus_of_list(const std::string& path) {
  base::LineReader lines(open_table(path));
  std::string_view line;
  while (lines.next(line) && line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (line.starts_with(kMark)) line.remove_prefix(kMark.size());
  try {
    base::JsonParser parser;
    const base::JsonValue first = parser.parse(line);
    for (const Corpus* corpus : all_corpora()) {
      if (first.is_object() && corpus->fits_line != nullptr && corpus->fits_line(first)) return corpus;
    }
  } catch (const Error&) {
    // Not JSON: something else may be able to read it.
  }
  for (const Corpus* corpus : all_corpora()) {
    if (corpus->fits_table != nullptr && corpus->fits_table(path)) return corpus;
  }
  return nullptr;
}

const Corpus* corpus_in_archive(const std::string& path) {
  NameJudge judge;
  first_names(path, [&](const std::string& name) { return judge.take(name); });
  return judge.verdict();
}

const Corpus* corpus_by_name(const std::string& name) {
  const std::string path = "/" + name;
  for (const Corpus* corpus : all_corpora()) {
    if (corpus->is_read() && matches(corpus->in_archive, path)) return corpus;
  }
  return nullptr;
}

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

namespace {

/// By the first line; null if no corpus has such texts.
const Corpus* corpus_of_text(const std::string& path) {
  try {
    base::LineReader lines(open_table(path));
    std::string_view line;
    if (!lines.next(line)) return nullptr;
    base::JsonParser parser;
    const base::JsonValue first = parser.parse(line);
    for (const Corpus* corpus : all_corpora()) {
      if (corpus->fits_text != nullptr && first.is_object() && corpus->fits_text(first)) return corpus;
    }
  } catch (const Error&) {
    // No text of one of these.
  }
  return nullptr;
}

/// Looks for a text that may have any name. False if no file is one.
bool guess_by_content(const std::vector<std::string>& files, FolderGuess& guess) {
  for (const std::string& file : files) {
    const Corpus* corpus = has_extension(file, "jsonl") ? corpus_of_text(file) : nullptr;
    if (corpus == nullptr) continue;
    set_corpus(*corpus, guess);
    guess.texts = file;
    return true;
  }
  return false;
}

}  // namespace

FolderGuess guess_archive(const std::string& path) {
  FolderGuess guess;
  if (const Corpus* corpus = corpus_in_archive(path)) {
    set_corpus(*corpus, guess);
    guess.missing = corpus->needed;
    return guess;
  }
  first_names(path, [&](const std::string& name) {
    for (const Corpus* corpus : all_corpora()) {
      if (corpus->is_read() || !matches(corpus->in_archive, "/" + name)) continue;
      set_corpus(*corpus, guess);
      return true;
    }
    return false;
  });
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
  if (guess_by_content(inside, guess)) return guess;
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
