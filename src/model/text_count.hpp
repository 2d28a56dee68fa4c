// TextCount: the number of samples, and of those with a transcript.
#pragma once

#include <cstdint>

namespace shardmill {

struct TextCount {
  std::uint64_t samples = 0;
  std::uint64_t with_text = 0;

  std::uint64_t without_text() const noexcept { return samples - with_text; }
  /// True if more than a tenth has no transcript. For speech recognition that is a mistake in the input.
  bool misses_too_many() const noexcept { return without_text() > samples / 10; }

  void add(bool has_text) noexcept {
    samples += 1;
    with_text += has_text ? 1 : 0;
  }
  void add(const TextCount& other) noexcept {
    samples += other.samples;
    with_text += other.with_text;
  }
};

}  // namespace shardmill
