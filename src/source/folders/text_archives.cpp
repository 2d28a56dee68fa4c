#include "source/folders/text_archives.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/io/file.hpp"
#include "source/archive_index.hpp"
#include "source/detection.hpp"
#include "source/folders/downloads.hpp"

namespace shardmill::source {

namespace {

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

/// Throws Error where the archives with audio are of several corpora: of which of them the others tell is not
/// known then, and it would depend on the order.
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
