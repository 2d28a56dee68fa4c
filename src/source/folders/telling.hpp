// Telling: what archives without audio say of the audio in others of the same dataset.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "shard/key_set.hpp"
#include "source/corpora.hpp"

namespace shardmill::source {

class Telling {
 public:
  /// To archives of this kind of corpus.
  Telling(const Corpus& corpus, const TreeOptions& options) : corpus_(&corpus), options_(options) {}

  const Corpus& corpus() const noexcept { return *corpus_; }
  /// False where the archive says nothing to such a corpus. Throws Error when it cannot be read.
  bool add(const std::string& archive);
  /// Call it when all were added. The utterances that they name, for a Promise: their audio may lie in any of
  /// the archives that tell() is called for. None: they name no utterance. Throws Error for texts that make
  /// no sense.
  std::function<void(const LoseUtterance&)> promised();
  /// The corpus in an archive of audio begins with all that is told.
  void tell(ArchivedTree& tree) const;

 private:
  struct Told {
    std::string path;
    std::string place;
    std::string content;
  };

  const Corpus* corpus_;
  TreeOptions options_;
  std::shared_ptr<std::vector<Told>> told_ = std::make_shared<std::vector<Told>>();
  bool has_transcripts_ = false;
  std::shared_ptr<shard::KeySet> promised_;  // their keys; null: none
};

}  // namespace shardmill::source
