// Archives without audio: their texts, for the audio in other archives of the same dataset.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "shard/keys.hpp"
#include "source/corpora.hpp"

namespace shardmill::source {

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
