// recast: the audio of a sample brought to the form that the user wants, and what is then to be recorded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "audio/transform.hpp"
#include "base/hash/hash.hpp"
#include "model/audio_info.hpp"
#include "model/sample.hpp"

namespace shardmill::pipeline {

struct Recast {
  std::optional<base::Xxh128> source_xxh3{};  // of the bytes as they were; none: they are the same
  std::uint64_t clipped = 0;                  // values
  std::string problem{};                      // why it cannot be done; empty when it was
};

/// Changes the member's bytes, its extension and `info` where they are not as wanted. Thread-safe.
Recast recast(Member& audio, AudioInfo& info, const audio::WantedForm& form);

}  // namespace shardmill::pipeline
