// Hearing: what is found out about audio by listening to its decoded values.
#pragma once

#include <optional>

#include "base/hash/hash.hpp"
#include "model/audio_quality.hpp"

namespace shardmill::audio {

struct Hearing {
  bool quality = false;
  bool sound = false;  // a hash of the values

  bool any() const noexcept { return quality || sound; }
};

struct Heard {
  std::optional<AudioQuality> quality{};
  std::optional<base::Xxh128> sound{};
};

}  // namespace shardmill::audio
