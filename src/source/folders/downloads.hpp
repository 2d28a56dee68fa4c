// Downloads: the archives of one folder or pattern, which must all be of one corpus.
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
  const Corpus* corpus = nullptr;  // null: a shard, or an archive that only tells of the others
};

/// By the first names in an archive; archives in it may hold some, too.
bool holds_audio(const std::string& archive);

/// Throws Error where the downloads are of several corpora, or some of none that is known and yet hold audio;
/// says how to give each as a source of its own. `given`: what they were given as.
void check_downloads(const std::string& given, const std::vector<Download>& downloads);

/// What a file of this name will be called when its download is done: "x.tgz" of "x.tgz.part". nullopt for
/// a name that says nothing of the kind.
std::optional<std::string_view> finished_name(std::string_view file_name);

struct UnfinishedDownload {
  std::string path;
  bool is_of_corpus = false;  // it will be audio or an archive, or may be
};

/// All of them in `folder` and below it, and in the cache that Hugging Face's tools keep there.
std::vector<UnfinishedDownload> unfinished_downloads(const std::string& folder);

}  // namespace shardmill::source
