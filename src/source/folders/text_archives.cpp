#include "source/folders/text_archives.hpp"

#include "base/io/file.hpp"
#include "source/archive_index.hpp"
#include "source/folders/downloads.hpp"

namespace shardmill::source {

namespace {

/// In a dataset of many shards the others are like the first.
std::optional<CorpusKind> kind_of(const std::vector<GivenArchive>& archives) {
  constexpr std::size_t kEnough = 16;
  for (std::size_t i = 0; i < archives.size() && i < kEnough; ++i) {
    if (archives[i].corpus) return archives[i].corpus;
    try {
      if (const auto kind = corpus_in_archive(archives[i].path)) return kind;
    } catch (const Error&) {
      // Reported when its turn comes.
    }
  }
  return std::nullopt;
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
    const auto kind = archives.size() > 1 ? kind_of(archives) : std::nullopt;
    if (!kind) continue;
    TextArchives texts{.kind = *kind, .paths = {}};
    for (const GivenArchive& each : archives) {
      if (is_silent(each.path)) texts.paths.push_back(each.path);
    }
    if (!texts.paths.empty() && texts.paths.size() < archives.size())
      found.emplace(dataset, std::move(texts));
  }
  return found;
}

}  // namespace shardmill::source
