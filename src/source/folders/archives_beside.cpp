#include "source/folders/archives_beside.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <iterator>

#include "source/folders/downloads.hpp"
#include "source/folders/folder_tree.hpp"
#include "source/folders/shard_search.hpp"
#include "source/names/audio_name.hpp"
#include "source/set/finished_dataset.hpp"

namespace shardmill::source {

namespace {

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

std::vector<std::string> archives_beside(const Corpus& corpus, const std::string& folder) {
  std::vector<std::string> archives = files_below(folder, has_archive_name);
  const auto reader = corpus.make({});
  std::erase_if(archives, [&](const std::string& archive) {
    const fs::path place = fs::path(archive).parent_path();
    // Nothing else of that folder is read.
    if (corpus.is_one_folder) return place != fs::path(folder);
    // What was made of a corpus is no part of it.
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
