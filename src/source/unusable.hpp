// Unusable: something that a source speaks of and that cannot be read, as a value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/error.hpp"

namespace shardmill::source {

struct Unusable {
  enum class What {
    file,      // a whole source file
    audio,     // of one utterance
    segment,   // of one utterance: its begin and end make no sense
    recording  // its audio is there, but nothing says how to cut it
  };

  What what = What::file;
  std::string key{};  // of the utterance
  Error error;
  std::string dataset{};                   // known once the whole SourceSet is
  std::optional<std::uint64_t> samples{};  // of a file, where it is known how many are lost with it
};

}  // namespace shardmill::source
