// Unusable: something that a source speaks of and that cannot be read, as a value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/error.hpp"

namespace shardmill::source {

struct Unusable {
  enum class What {
    file,       // a whole source file
    audio,      // of one utterance, or of all `samples` in one recording
    segment,    // of one utterance: its begin and end make no sense
    recording,  // its audio is there, but nothing says how to cut it
    unlisted,   // its audio is there, but no table lists it, and one of them should
    text,       // its audio is there, but the file that holds its transcript is damaged
    no_subset   // no table lists its audio, as happens in this corpus: whether it is wanted nobody knows
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

}  // namespace shardmill::source
