// Downloads: the archives in one folder, which must all be of one corpus, and be all that there is of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "source/corpora.hpp"

namespace shardmill::source {

struct Download {
  std::string path;
  const Corpus* corpus = nullptr;  // null: a shard, or an archive with nothing but texts
};

/// By the first names in an archive; archives in it may hold some, too.
bool holds_audio(const std::string& archive);

/// Throws Error where the downloads are of several corpora, or some of none that is known and yet hold audio;
/// says how to give each as a source of its own. `given`: the source that they came from.
void check_downloads(const std::string& given, const std::vector<Download>& downloads);

/// The name of a file when its download is done: "x.tgz" for "x.tgz.part". nullopt for a name without such an
/// ending.
std::optional<std::string_view> finished_name(std::string_view file_name);

struct UnfinishedDownload {
  std::string path;
  bool is_of_corpus = false;  // it will be audio or an archive, or may be
};

/// All of them in `folder` and below it, and in the cache that Hugging Face's tools keep there.
std::vector<UnfinishedDownload> unfinished_downloads(const std::string& folder);

/// Archives in `folder` and below it that are not read together with the unpacked corpus.
std::vector<std::string> archives_beside(const Corpus& corpus, const std::string& folder);

/// The messages about such archives if none of them holds audio.
struct LeftBeside {
  std::vector<Error> unusable;  // they cannot be read
  std::vector<Error> warnings;  // they are left out
};

/// Throws Error where one of them holds audio, which would be lost: says how to give both as sources.
LeftBeside check_beside(const Corpus& corpus, const std::string& folder,
                        const std::vector<std::string>& archives);

}  // namespace shardmill::source
