// Promises: utterances that tables name while their audio lies in one of several archives, and nothing says
// in which. That some of it is nowhere is known only when all archives were read.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "shard/key_set.hpp"
#include "source/tree_corpus.hpp"
#include "source/unusable.hpp"

namespace shardmill::source {

/// What the tables of one corpus name.
struct Promise {
  std::string dataset;
  /// Calls back for all utterances, or all but those of which this process knows that they were found.
  std::function<void(const TreeCorpus::Lose& lose)> rest;
};

class Promises {
 public:
  /// `promises` must outlive it.
  explicit Promises(const std::vector<Promise>& promises) : promises_(promises) {}

  /// An utterance with this key was read. Any thread may call it.
  void meet(std::string_view key);
  /// The utterances that nobody has met, in the order in which the tables name them.
  void for_each_broken(const std::function<void(const Unusable& broken)>& use) const;

 private:
  const std::vector<Promise>& promises_;
  std::mutex mutex_;
  shard::KeySet met_;
};

}  // namespace shardmill::source
