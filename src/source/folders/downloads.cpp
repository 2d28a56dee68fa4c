#include "source/folders/downloads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <utility>

#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "source/archive_entries.hpp"
#include "source/corpora/list.hpp"
#include "source/detection.hpp"
#include "source/file_name.hpp"
#include "source/folders/file_search.hpp"
#include "source/set/finished_dataset.hpp"
#include "source/tree_text.hpp"

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
  if (&corpus == &kLhotse && audio.empty())
    return Error(fmt::format("holds archives of audio, such as {}, and manifests of Lhotse, which name files",
                             printable(archive)),
                 at(folder), "give the archives, and the manifests as labels of their audio",
                 Remedy::give_labels);
  const std::string first = audio.empty() ? folder : audio.front();
  const std::string problem = fmt::format(
      "holds archives of audio, such as {}, and an unpacked corpus, with {}: only one of the two "
      "would be read",
      printable(archive), printable(first));
  const fs::path below = fs::path(first).lexically_relative(folder);
  const std::string place = (fs::path(folder) / *below.begin()).string() + "/";
  const bool are_all_there =
      std::ranges::all_of(audio, [&](const std::string& file) { return file.starts_with(place); });
  std::string advice = "move the archives or the unpacked files to another folder";
  if (!are_all_there) advice += ", or give each folder as a source of its own";
  if (are_all_there && std::distance(below.begin(), below.end()) > 1) {
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

namespace {

bool is_remark(const TreeCorpus& corpus, std::string_view path) {
  return corpus.above(path.substr(path.rfind('/') + 1)) == TreeCorpus::Above::remarks;
}

/// In a dataset of many shards the others are like the first.
constexpr std::size_t kEnough = 16;

const Corpus* corpus_of(const GivenArchive& archive) {
  if (archive.corpus != nullptr) return archive.corpus;
  try {
    return corpus_in_archive(archive.path);
  } catch (const Error&) {
    return nullptr;  // Reported when its turn comes.
  }
}

const Corpus* corpus_of(const std::vector<GivenArchive>& archives) {
  for (std::size_t i = 0; i < archives.size() && i < kEnough; ++i) {
    if (const Corpus* corpus = corpus_of(archives[i])) return corpus;
  }
  return nullptr;
}

/// Throws Error if the archives with audio are of several corpora: it is then unknown which of them the texts
/// belong to.
void check_one_corpus(const std::vector<GivenArchive>& archives, const std::vector<std::string>& texts) {
  std::map<std::string_view, std::string> corpora;  // by prefix, with the first archive of each
  for (std::size_t i = 0; i < archives.size() && i < kEnough; ++i) {
    if (std::find(texts.begin(), texts.end(), archives[i].path) != texts.end()) continue;
    if (const Corpus* corpus = corpus_of(archives[i])) corpora.emplace(corpus->prefix, archives[i].path);
  }
  if (corpora.size() < 2) return;
  std::string list;
  for (const auto& [prefix, path] : corpora)
    list += fmt::format("{}{} in {}", list.empty() ? "" : ", ", prefix, printable(path));
  throw Error(
      fmt::format("holds no audio, and the archives with the same name are of several corpora: {}", list),
      at(texts.front()),
      fmt::format("give each corpus a name of its own, and this archive that of its corpus: NAME={}",
                  printable(texts.front())));
}

}  // namespace

bool SharedTexts::add(const std::string& archive) {
  const std::unique_ptr<TreeCorpus> corpus = corpus_->make({});
  const auto tells = [&](std::string_view path) {
    return corpus->role(path) == TreeCorpus::Role::text &&
           (is_remark(*corpus, path) || corpus->loses_by_key());
  };
  base::File file = base::File::open_read(archive);
  const auto entries = open_entries(file, {.wanted = tells, .limit_bytes = text_limit_bytes(file.size())});
  const std::size_t before = texts_->size();
  std::vector<ArchiveItem> items;
  for (bool more = true; more;) {
    items.clear();
    more = entries->read(items);
    for (ArchiveItem& item : items) {
      if (const auto* error = std::get_if<Error>(&item)) throw Error(*error);
      auto& entry = std::get<ArchiveEntry>(item);
      std::string bytes(reinterpret_cast<const char*>(entry.bytes.data()), entry.bytes.size());
      std::string content = text_content(std::move(bytes), entry.place);
      has_transcripts_ = has_transcripts_ || !is_remark(*corpus, entry.path);
      texts_->push_back(
          {.path = std::move(entry.path), .place = std::move(entry.place), .content = std::move(content)});
    }
  }
  return texts_->size() > before;
}

std::function<void(const LoseUtterance&)> SharedTexts::promised() {
  if (!has_transcripts_) return {};
  ArchivedTree tree = *archived_tree(*corpus_, options_);
  give_to(tree);
  const std::shared_ptr<TreeCorpus> corpus = tree.begin();
  corpus->all_read();
  promised_ = std::make_shared<shard::KeySet>();
  corpus->report_rest([&](const LostAudio& lost) { promised_->insert(lost.key); });
  return [corpus](const LoseUtterance& lose) { corpus->report_rest(lose); };
}

void SharedTexts::give_to(ArchivedTree& tree) const {
  if (texts_->empty()) return;
  tree.begin = [begin = tree.begin, texts = texts_] {
    std::shared_ptr<TreeCorpus> corpus = begin();
    for (const Text& text : *texts)
      corpus->read({.path = text.path, .place = text.place, .content = text.content});
    return corpus;
  };
  tree.promised = promised_;
}

bool is_silent(const std::string& archive) {
  try {
    bool has_files = false;
    first_names(archive, [&](const std::string&) {
      has_files = true;
      return true;
    });
    return has_files && !holds_audio(archive);
  } catch (const Error&) {
    return false;
  }
}

std::map<std::string, TextArchives> find_text_archives(const std::vector<GivenArchive>& given) {
  std::map<std::string, std::vector<GivenArchive>> datasets;
  for (const GivenArchive& each : given) datasets[each.dataset].push_back(each);
  std::map<std::string, TextArchives> found;
  for (const auto& [dataset, archives] : datasets) {
    const Corpus* corpus = archives.size() > 1 ? corpus_of(archives) : nullptr;
    if (corpus == nullptr) continue;
    TextArchives texts{.corpus = corpus, .paths = {}};
    for (const GivenArchive& each : archives) {
      if (is_silent(each.path)) texts.paths.push_back(each.path);
    }
    if (texts.paths.empty() || texts.paths.size() == archives.size()) continue;
    check_one_corpus(archives, texts.paths);
    found.emplace(dataset, std::move(texts));
  }
  return found;
}

}  // namespace shardmill::source
