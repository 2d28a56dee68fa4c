// What a source names and does not have, or has and cannot read, as values.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "shard/keys.hpp"

namespace shardmill::source {

struct Unusable {
  enum class What {
    file,       // a whole source file
    audio,      // of one utterance, or of all `samples` in one recording
    segment,    // of one utterance: its begin and end make no sense
    recording,  // its audio is there, but nothing says how to cut it
    unlisted,   // its audio is there, but no table lists it, and one of them should
    text,       // its audio is there, but the file that holds its transcript is damaged
    no_subset   // no table lists its audio, as happens in this corpus: it is unknown whether it is wanted
  };

  What what = What::file;
  std::string key{};  // of the utterance
  Error error;
  std::string dataset{};                   // known once the whole SourceSet is
  std::optional<std::uint64_t> samples{};  // that are lost with it, where that is known and not one
};

/// False where the corpus is whole without it.
inline bool is_loss(const Unusable& unusable) {
  return unusable.what != Unusable::What::no_subset;
}

/// Transcripts whose audio is not there: one, or all of a long recording.
struct LostAudio {
  std::string_view key;  // of the utterance or the recording
  Error error;
  std::uint64_t samples = 1;
};
using LoseUtterance = std::function<void(LostAudio lost)>;

/// What the tables of one corpus name.
struct Promise {
  std::string dataset;
  /// Calls back for all utterances; may leave out those that this process has found.
  std::function<void(const LoseUtterance& lose)> rest;
};

class Promises {
 public:
  /// `promises` must outlive it.
  explicit Promises(const std::vector<Promise>& promises) : promises_(promises) {}

  /// An utterance with this key was read. Any thread may call it.
  void meet(std::string_view key);
  /// The utterances that were not read, in the order in which the tables name them.
  void for_each_broken(const std::function<void(const Unusable& broken)>& use) const;

 private:
  const std::vector<Promise>& promises_;
  std::mutex mutex_;
  shard::KeySet met_;
};

}  // namespace shardmill::source
