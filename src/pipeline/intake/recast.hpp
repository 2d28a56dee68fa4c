// recast: converts the audio of a sample to the wanted form, and says what must be recorded about it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "audio/transform.hpp"
#include "base/hash/hash.hpp"
#include "model/audio_info.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::pipeline {

struct Recast {
  std::optional<base::Xxh128> source_xxh3{};  // hash of the original bytes; none: the bytes are unchanged
  bool mended = false;                        // only the header was changed, because it was wrong
  std::uint64_t clipped = 0;                  // values that were clipped
  audio::Heard heard{};                       // the wanted measurements
  std::string problem{};                      // why it cannot be done; empty when it was done
};

/// Changes the member's bytes and extension and `info` if they are not as wanted, and mends a header that is
/// wrong. `decoded`: ProbeResult::decoded of the audio, or null. Thread-safe.
Recast recast(Member& audio, AudioInfo& info, const audio::WantedForm& form, const Bytes* decoded = nullptr);

}  // namespace shardmill::pipeline
