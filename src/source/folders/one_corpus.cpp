#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/system/command.hpp"
#include "source/detection.hpp"
#include "source/file_name.hpp"
#include "source/folders/file_search.hpp"
#include "source/missing_text.hpp"
#include "source/set/finished_dataset.hpp"
#include "source/source_set.hpp"
#include "source/source_spec.hpp"

namespace shardmill::source {

namespace {

namespace fs = std::filesystem;

/// What a folder may hold: a finished dataset, one of the corpora, and what belongs to none.
using What = std::size_t;
constexpr What kDataset = 0;
constexpr What kFirstCorpus = 1;
What shards() {
  return kFirstCorpus + all_corpora().size();
}
What loose_audio() {
  return shards() + 1;
}

/// Null for a dataset, shards and loose audio.
const Corpus* corpus_of(What what) {
  return what == kDataset || what >= shards() ? nullptr : all_corpora()[what - kFirstCorpus];
}

std::string_view name_of(What what) {
  if (const Corpus* corpus = corpus_of(what)) return corpus->name;
  return what == kDataset ? "a finished dataset" : what == shards() ? "shards" : "audio";
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
    if (datasets_.empty() && holds_a_list()) return;
    find_corpora();
    find_rest();
    if (is_mixed()) refuse();
  }

 private:
  bool has(const std::string& folder, std::string_view name) const {
    return names_.contains(inside(folder, name));
  }

  /// True for a list of audio that says itself what belongs to it.
  bool holds_a_list() const {
    const auto corpora = all_corpora();
    const auto first = std::find_if(corpora.begin(), corpora.end(), [&](const Corpus* corpus) {
      return corpus->is_in != nullptr && corpus->is_in(folder_);
    });
    return first != corpora.end() && !(*first)->is_tree();
  }

  void find_datasets() {
    for (const std::string& file : files_) {
      const std::string_view name = last_of(file);
      if (name != "dataset.json" && name != "shards.jsonl") continue;
      if (is_dataset(inside(folder_, above(file)))) datasets_.insert(above(file));
    }
    if (!datasets_.empty()) places_[kDataset] = datasets_;
  }

  void find_corpora() {
    const auto has = [&](const std::string& file) { return names_.contains(file); };
    for (const std::string& file : files_) {
      if (lies_in_one_of(datasets_, file)) continue;
      for (What what = kFirstCorpus; what < shards(); ++what) {
        const Corpus& corpus = *corpus_of(what);
        const auto place = corpus.place_by != nullptr ? corpus.place_by(file, has) : std::nullopt;
        if (!place) continue;
        places_[what].insert(place->folder);
        if (place->claimed) (place->claims_shards ? claimed_ : claimed_audio_).insert(*place->claimed);
        break;
      }
    }
  }

  /// Audio and shards that none of the corpora claims.
  void find_rest() {
    for (const std::string& file : files_) {
      const bool is_audio = is_audio_name(file);
      if ((!is_audio && !has_shard_name(last_of(file))) || lies_in_one_of(claimed_, file) ||
          lies_in_one_of(datasets_, file))
        continue;
      if (is_audio && lies_in_one_of(claimed_audio_, file)) continue;
      places_[is_audio ? loose_audio() : shards()].insert(above(file));
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
    if (names_.contains(stem + ".txt") || names_.contains(stem + ".normalized.txt")) return true;
    for (std::string folder = above(audio); !folder.empty(); folder = above(folder)) {
      if (last_of(folder) == "audio" && has(above(folder), "transcripts.txt")) return true;
    }
    return false;
  }

  bool is_mixed() const {
    const auto holds = [&](What what) { return places_.contains(what); };
    if (holds(kDataset)) return true;
    std::vector<What> corpora;
    for (const auto& [what, folders] : places_) {
      if (corpus_of(what) != nullptr) corpora.push_back(what);
    }
    if (corpora.size() > 1) return true;
    if (corpora.empty()) return false;  // plain audio, with or without text
    if (holds(shards())) return true;
    const Corpus& corpus = *corpus_of(corpora.front());
    // Corpora that are not known to this program may have such lists beside their audio.
    if (!corpus.is_tree()) return holds(loose_audio()) && has_texts_;
    return holds(loose_audio()) || (corpus.is_one_folder && places_.at(corpora.front()).size() > 1);
  }

  struct Item {
    What what;
    std::string place;
  };

  /// Folders of one kind, where they can be given as one source, come together.
  std::vector<Item> items() const {
    std::vector<Item> items;
    for (const auto& [what, folders] : places_) {
      const Corpus* corpus = corpus_of(what);
      const bool is_alone = what == kDataset || (corpus != nullptr && corpus->is_one_folder);
      std::map<std::string, std::string> joined;  // by the first folder
      for (const std::string& folder : folders) {
        const std::string key = is_alone ? folder : folder.substr(0, folder.find('/'));
        const auto [known, is_new] = joined.try_emplace(key, folder);
        if (!is_new) known->second = common_folder(known->second, folder);
      }
      for (const auto& [key, place] : joined) items.push_back({what, place});
    }
    std::erase_if(items,
                  [&](const Item& item) { return item.what == loose_audio() && is_in_a_script(item.place); });
    return items;
  }

  /// Whether the first audio that a Kaldi folder names lies there, and so belongs to that folder.
  bool is_in_a_script(const std::string& place) const {
    return std::ranges::any_of(files_, [&](const std::string& script) {
      if (last_of(script) != "wav.scp") return false;
      const std::string audio = first_audio_in(inside(folder_, script));
      const std::string in_its_folder = inside(std::string(last_of(above(audio))), last_of(audio));
      return audio.find('/') != audio.npos && std::ranges::any_of(files_, [&](const std::string& file) {
               return lies_in(file, place) && (file == in_its_folder || file.ends_with("/" + in_its_folder));
             });
    });
  }

  static std::string first_audio_in(const std::string& script) {
    std::ifstream lines(script);
    std::string word;
    for (int words = 0; words < 100 && lines >> word; ++words) {
      if (is_audio_name(word)) return word;
    }
    return {};
  }

  std::string name_of(const Item& item) const {
    if (item.what == loose_audio() && !item.place.empty()) {
      const std::string guess = guess_folder(inside(folder_, item.place)).corpus;
      const auto corpora = all_corpora();
      // The guess goes by the folders above, too, and those that say where they lie were found already.
      const bool is_found = std::any_of(corpora.begin(), corpora.end(), [&](const Corpus* corpus) {
        return corpus->name == guess && corpus->place_by != nullptr;
      });
      if (!guess.empty() && !is_found) return guess;
    }
    return std::string(source::name_of(item.what));
  }

  /// The source to give for an item. A table that lists audio without texts says more of it than the folder.
  std::string source_of(const Item& item) const {
    fs::path path(folder_);
    if (!item.place.empty()) path /= item.place;
    const Corpus* corpus = corpus_of(item.what);
    if (corpus != nullptr) return fmt::format("{}:{}", corpus->prefix, path.string());
    const auto has_own_text = [&](const std::string& file) {
      return is_audio_name(file) && lies_in(file, item.place) && has_text(file);
    };
    if (item.what != loose_audio() || std::ranges::any_of(files_, has_own_text)) return path.string();
    const auto list = audio_list_for(path.string());
    if (!list) return path.string();
    // "manifest" and "train" say little.
    const std::string place = fs::path(*list).parent_path().lexically_relative(folder_).string();
    return place == "." ? *list : fmt::format("{}={}", dataset_name_from(place), *list);
  }

  /// Sources of one name would be one dataset, so they are called like their places.
  static void name_apart(std::vector<std::string>& sources, const std::vector<std::string>& places) {
    std::map<std::string, std::size_t> names;
    for (const std::string& source : sources) ++names[dataset_name_of(source)];
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const bool has_name = sources[i].find('=') != std::string::npos;
      if (!has_name && names[dataset_name_of(sources[i])] > 1)
        sources[i] = fmt::format("{}={}", dataset_name_from(places[i]), sources[i]);
    }
  }

  [[noreturn]] void refuse() const {
    constexpr std::size_t kMostNamed = 16;
    const std::vector<Item> found = items();
    std::string list;
    std::vector<std::string> sources;
    std::vector<std::string> places;
    bool has_loose = false;
    for (std::size_t i = 0; i < std::min(found.size(), kMostNamed); ++i) {
      const std::string place = found[i].place.empty() ? "the folder itself" : printable(found[i].place);
      list += fmt::format("{}{} in {}", i == 0 ? "" : ", ", name_of(found[i]), place);
      const bool is_loose = found[i].what >= shards() && found[i].place.empty();
      has_loose = has_loose || is_loose;
      if (is_loose) continue;
      sources.push_back(source_of(found[i]));
      places.push_back(found[i].place);
    }
    name_apart(sources, places);
    std::string words;
    for (const std::string& source : sources) words += " " + printable(base::shell_quoted(source));
    if (found.size() > kMostNamed) list += fmt::format(" and {} more", found.size() - kMostNamed);
    if (found.size() > kMostNamed) words += " ...";
    const std::string loose = has_loose ? "; what lies loose needs a folder of its own first" : "";
    // Only of a finished dataset one is too many.
    if (found.size() == 1)
      throw Error(fmt::format("holds {}, but is not one itself", list), at(folder_), "give" + words);
    throw Error(fmt::format("holds more than one corpus: {}", list), at(folder_),
                fmt::format("give each as a source of its own, [NAME=]SOURCE:{}{}", words, loose));
  }

  std::string folder_;
  std::vector<std::string> files_;         // paths below the folder
  std::unordered_set<std::string> names_;  // the same
  std::map<What, std::set<std::string>> places_;
  std::set<std::string> datasets_;
  std::set<std::string> claimed_;        // folders whose audio and shards belong to a corpus
  std::set<std::string> claimed_audio_;  // folders whose audio does, and whose shards do not
  bool has_texts_ = false;               // audio that no corpus claims
};

}  // namespace

void check_one_corpus(const std::string& folder) {
  Survey(folder).check();
}

}  // namespace shardmill::source
