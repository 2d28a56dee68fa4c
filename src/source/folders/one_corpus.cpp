#include "source/folders/one_corpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "source/folders/folder_tree.hpp"
#include "source/folders/known_corpora.hpp"
#include "source/names/audio_name.hpp"
#include "source/set/finished_dataset.hpp"
#include "source/shard_name.hpp"

namespace shardmill::source {

namespace {

namespace fs = std::filesystem;

enum class What { dataset, aishell, aishell2, librispeech, kaldi, shards, audio };

struct Words {
  std::string_view name;
  std::string_view prefix;  // of a source
};

Words words_for(What what) {
  constexpr std::array<Words, 7> kWords{{{"a finished dataset", ""},
                                         {"AISHELL-1", "aishell:"},
                                         {"AISHELL-2", "aishell2:"},
                                         {"LibriSpeech", "librispeech:"},
                                         {"a Kaldi data folder", "kaldi:"},
                                         {"shards", ""},
                                         {"audio", ""}}};
  return kWords[static_cast<std::size_t>(what)];
}

/// Folders below the one that was given; it is empty for that one itself.
std::string above(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

std::string inside(const std::string& folder, std::string_view name) {
  return folder.empty() ? std::string(name) : fmt::format("{}/{}", folder, name);
}

std::string_view last_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool lies_in(const std::string& path, const std::string& folder) {
  return folder.empty() || path == folder || (path.starts_with(folder) && path[folder.size()] == '/');
}

std::string common_folder(std::string one, const std::string& other) {
  while (!lies_in(other, one)) one = above(one);
  return one;
}

class Survey {
 public:
  explicit Survey(const std::string& folder) : folder_(folder) {
    for (const std::string& path : files_below(folder, [](std::string_view) { return true; })) {
      const std::size_t begin = path.find_first_not_of('/', folder.size());
      files_.push_back(path.substr(begin));
    }
    names_.insert(files_.begin(), files_.end());
  }

  void check() {
    find_datasets();
    // The list says what belongs to it.
    if (datasets_.empty() && is_kaldi("")) return;
    find_corpora();
    find_rest();
    if (is_mixed()) refuse();
  }

 private:
  bool has(const std::string& folder, std::string_view name) const {
    return names_.contains(inside(folder, name));
  }

  bool is_kaldi(const std::string& folder) const {
    return has(folder, "wav.scp") && (!has(folder, "trans.txt") || has(folder, "text"));
  }

  void find_datasets() {
    for (const std::string& file : files_) {
      const std::string_view name = last_of(file);
      if (name != "dataset.json" && name != "shards.jsonl") continue;
      if (is_dataset(inside(folder_, above(file)))) datasets_.insert(above(file));
    }
    if (!datasets_.empty()) places_[What::dataset] = datasets_;
  }

  void find_corpora() {
    for (const std::string& file : files_) {
      const std::string_view name = last_of(file);
      if (lies_in_one_of(datasets_, file)) continue;
      const std::string folder = above(file);
      if (name.starts_with("aishell_transcript") && last_of(folder) == "transcript") {
        places_[What::aishell].insert(above(folder));
        claimed_.insert(inside(above(folder), "wav"));
      } else if (name == "trans.txt") {
        add_aishell2(folder);
      } else if (name == "wav.scp" && !has(folder, "trans.txt")) {
        places_[What::kaldi].insert(folder);
        claimed_.insert(folder);
      } else if (name == "transcripts.txt") {
        tables_.insert(inside(folder, "audio"));
      } else if (name.ends_with(".trans.txt")) {
        add_chapter(file);
      }
    }
  }

  void add_aishell2(const std::string& folder) {
    constexpr auto kLevels = 4;  // that are looked into
    places_[What::aishell2].insert(folder);
    const auto level = folder.empty() ? 0 : std::count(folder.begin(), folder.end(), '/') + 1;
    if (level <= kLevels) claimed_.insert(has(folder, "wav.scp") ? folder : inside(folder, "wav"));
  }

  /// SPEAKER/CHAPTER/SPEAKER-CHAPTER.trans.txt; other folders may miss theirs, and belong to the corpus too.
  void add_chapter(const std::string& file) {
    const std::string chapter = above(file);
    const std::string speaker = above(chapter);
    const std::string name = fmt::format("{}-{}.trans.txt", last_of(speaker), last_of(chapter));
    const std::string place = last_of(file) == name ? above(speaker) : speaker;
    places_[What::librispeech].insert(place);
    chapters_.insert(place);
  }

  /// Audio and shards that none of the corpora claims.
  void find_rest() {
    for (const std::string& file : files_) {
      const bool is_audio = is_audio_name(file);
      if ((!is_audio && !has_shard_name(last_of(file))) || lies_in_one_of(claimed_, file) ||
          lies_in_one_of(datasets_, file))
        continue;
      if (is_audio && lies_in_one_of(chapters_, file)) continue;
      places_[is_audio ? What::audio : What::shards].insert(above(file));
      if (is_audio) has_texts_ = has_texts_ || has_text(file);
    }
  }

  static bool lies_in_one_of(const std::set<std::string>& folders, const std::string& file) {
    if (folders.empty()) return false;
    for (std::string folder = above(file);; folder = above(folder)) {
      if (folders.contains(folder)) return true;
      if (folder.empty()) return false;
    }
  }

  bool has_text(const std::string& audio) const {
    const std::string stem(without_extension(audio));
    return names_.contains(stem + ".txt") || names_.contains(stem + ".normalized.txt") ||
           lies_in_one_of(tables_, audio);
  }

  bool is_mixed() const {
    const auto holds = [&](What what) { return places_.contains(what); };
    if (holds(What::dataset)) return true;
    const auto is_corpus = [](const auto& place) { return place.first < What::shards; };
    const auto corpora = std::count_if(places_.begin(), places_.end(), is_corpus);
    if (corpora > 1) return true;
    if (corpora == 0) return false;  // plain audio, with or without text
    if (holds(What::shards)) return true;
    // Corpora that are not known to this program, as KeSpeech, have such folders beside their audio.
    if (holds(What::kaldi)) return holds(What::audio) && has_texts_;
    return holds(What::audio) || (holds(What::aishell) && places_.at(What::aishell).size() > 1);
  }

  struct Item {
    What what;
    std::string place;
  };

  /// Folders of one kind, where they can be given as one source, come together.
  std::vector<Item> items() const {
    std::vector<Item> items;
    for (const auto& [what, folders] : places_) {
      const bool is_alone = what == What::dataset || what == What::aishell || what == What::kaldi;
      std::map<std::string, std::string> joined;  // by the first folder
      for (const std::string& folder : folders) {
        const std::string key = is_alone ? folder : folder.substr(0, folder.find('/'));
        const auto [known, is_new] = joined.try_emplace(key, folder);
        if (!is_new) known->second = common_folder(known->second, folder);
      }
      for (const auto& [key, place] : joined) items.push_back({what, place});
    }
    return items;
  }

  std::string name_of(const Item& item) const {
    if (item.what == What::audio && !item.place.empty()) {
      const std::string corpus = guess_folder(inside(folder_, item.place)).corpus;
      // What lies in the folders above, which the guess goes by too, may be another corpus.
      if (!corpus.empty() && corpus != "AISHELL-1" && corpus != "AISHELL-2" && corpus != "LibriSpeech")
        return corpus;
    }
    return std::string(words_for(item.what).name);
  }

  [[noreturn]] void refuse() const {
    constexpr std::size_t kMostNamed = 8;
    const std::vector<Item> found = items();
    std::string list;
    std::string sources;
    bool has_loose = false;
    for (std::size_t i = 0; i < std::min(found.size(), kMostNamed); ++i) {
      const std::string place = found[i].place.empty() ? "the folder itself" : printable(found[i].place);
      list += fmt::format("{}{} in {}", i == 0 ? "" : ", ", name_of(found[i]), place);
      const bool is_loose = found[i].what >= What::shards && found[i].place.empty();
      has_loose = has_loose || is_loose;
      if (is_loose) continue;
      fs::path path(folder_);
      if (!found[i].place.empty()) path /= found[i].place;
      sources += fmt::format(" {}{}", words_for(found[i].what).prefix, printable(path.string()));
    }
    if (found.size() > kMostNamed) list += fmt::format(" and {} more", found.size() - kMostNamed);
    if (found.size() > kMostNamed) sources += " ...";
    const std::string loose = has_loose ? "; what lies loose needs a folder of its own first" : "";
    // Only of a finished dataset one is too many.
    if (found.size() == 1)
      throw Error(fmt::format("holds {}, and is none itself", list), at(folder_), "give" + sources);
    throw Error(fmt::format("holds more than one corpus: {}", list), at(folder_),
                fmt::format("give each as a source of its own, [NAME=]SOURCE:{}{}", sources, loose));
  }

  std::string folder_;
  std::vector<std::string> files_;         // paths below the folder
  std::unordered_set<std::string> names_;  // the same
  std::map<What, std::set<std::string>> places_;
  std::set<std::string> datasets_;
  std::set<std::string> claimed_;   // folders whose audio and shards belong to a corpus
  std::set<std::string> chapters_;  // folders whose audio belongs to LibriSpeech
  std::set<std::string> tables_;    // folders whose audio has its texts in MLS's transcripts.txt
  bool has_texts_ = false;          // audio that no corpus claims
};

}  // namespace

void check_one_corpus(const std::string& folder) {
  Survey(folder).check();
}

}  // namespace shardmill::source
