// Downloads: the archives in one folder, which must all be of one corpus, and be all that there is of it;
// and archives without audio, whose texts are for the audio in others of the same dataset.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "shard/keys.hpp"
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

/// The texts of such archives.
class SharedTexts {
 public:
  /// For archives of this corpus.
  SharedTexts(const Corpus& corpus, const TreeOptions& options) : corpus_(&corpus), options_(options) {}

  const Corpus& corpus() const noexcept { return *corpus_; }
  /// Reads the texts in an archive; false if it holds none of this corpus. Throws Error when it cannot be
  /// read.
  bool add(const std::string& archive);
  /// Call it after the last add(). Returns the utterances that the texts name, for a Promise: any of the
  /// archives that give_to() is called for may hold their audio. Empty if the texts name no utterance. Throws
  /// Error for texts that cannot be parsed.
  std::function<void(const LoseUtterance&)> promised();
  /// The reader of an archive with audio starts with these texts.
  void give_to(ArchivedTree& tree) const;

 private:
  struct Text {
    std::string path;
    std::string place;
    std::string content;
  };

  const Corpus* corpus_;
  TreeOptions options_;
  std::shared_ptr<std::vector<Text>> texts_ = std::make_shared<std::vector<Text>>();
  bool has_transcripts_ = false;
  std::shared_ptr<shard::KeySet> promised_;  // their keys; null: none
};

/// True for an archive with files and without audio. False for one that cannot be read, which is reported
/// when its turn comes.
bool is_silent(const std::string& archive);

/// An archive that is given as a source of its own.
struct GivenArchive {
  std::string dataset;
  std::string path;
  const Corpus* corpus = nullptr;  // by its prefix
};

struct TextArchives {
  const Corpus* corpus;            // that the others hold
  std::vector<std::string> paths;  // of those without audio
};

/// By dataset. Shards are left out, and so are datasets in which all archives hold audio or none does. Throws
/// Error for an archive without audio beside archives of several corpora.
std::map<std::string, TextArchives> find_text_archives(const std::vector<GivenArchive>& given);

}  // namespace shardmill::source
