// A published corpus that is told of its texts and asked for its audio, as the readers of folders and of
// archives do, but without files: tests hold the layout of the corpus in their hands.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "source/corpora.hpp"
#include "source/corpora/list.hpp"
#include "source/tree_corpus.hpp"

namespace shardmill::testing {

class ToldTree {
 public:
  explicit ToldTree(const source::Corpus& corpus, const source::TreeOptions& options = {})
      : corpus_(source::archived_tree(corpus, options)->begin()) {}

  /// A text file, which is read if the corpus wants it. True if it does.
  bool tell(std::string_view path, std::string_view content) {
    if (corpus_->role(path) != source::TreeCorpus::Role::text) return false;
    corpus_->read({.path = path, .place = std::string(path), .content = content});
    return true;
  }
  /// What is wrong with a text file.
  std::string problem(std::string_view path, std::string_view content) {
    try {
      return tell(path, content) ? "no problem" : "is not read";
    } catch (const Error& error) {
      return error.what();
    }
  }

  /// No further text will come.
  void end() { corpus_->all_read(); }

  /// "key [begin end] 'text' {facts}" for each utterance of an audio file, "?" while nobody can say, and
  /// "no audio" for another file. Times stand there only for a part of a recording.
  std::vector<std::string> says(std::string_view path) {
    if (corpus_->role(path) != source::TreeCorpus::Role::audio) return {"no audio"};
    const auto found = corpus_->find(path);
    if (!found) return {"?"};
    std::vector<std::string> lines;
    for (const source::TreeUtterance& utterance : *found) {
      std::string& line = lines.emplace_back(utterance.key);
      if (utterance.end_seconds != source::CorpusUtterance::kToTheEnd)
        line += fmt::format(" [{} {}]", utterance.begin_seconds, utterance.end_seconds);
      if (utterance.text) line += fmt::format(" '{}'", *utterance.text);
      const std::string members = utterance.members();
      if (!members.empty()) line += fmt::format(" {{{}}}", members);
    }
    return lines;
  }

  /// "key: message" for each transcript whose audio nobody asked for.
  std::vector<std::string> lost() const {
    std::vector<std::string> lines;
    corpus_->report_rest([&](const source::LostAudio& one) {
      lines.push_back(fmt::format("{}: {}", one.key, one.error.what()));
    });
    return lines;
  }

  const source::TreeCorpus& corpus() const noexcept { return *corpus_; }

 private:
  std::shared_ptr<source::TreeCorpus> corpus_;
};

}  // namespace shardmill::testing
