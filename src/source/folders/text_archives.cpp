#include "source/folders/text_archives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/io/file.hpp"
#include "source/archive_entries.hpp"
#include "source/archive_index.hpp"
#include "source/detection.hpp"
#include "source/folders/downloads.hpp"
#include "source/tree_text.hpp"

namespace shardmill::source {

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
