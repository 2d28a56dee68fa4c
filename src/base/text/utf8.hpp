// UTF-8: stepping through text that may be damaged, and shortening text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace shardmill::base {

/// The code point at the start of a text, or the damage found there.
struct Utf8Step {
  std::size_t bytes = 1;  // the length of the step
  bool valid = false;     // false: these bytes count as one U+FFFD
  char32_t code_point = 0xFFFD;
};

/// `text` must not be empty. Damage is divided as Unicode recommends (the longest valid beginning of a
/// sequence counts as one error), like Python's errors="replace".
Utf8Step first_utf8(std::string_view text) noexcept;

bool is_utf8(std::string_view text) noexcept;

/// `text` if it has at most `most_bytes` bytes. Otherwise its beginning and its end with " [...] " between
/// them, for messages that quote it; UTF-8 sequences stay whole.
std::string shortened(std::string_view text, std::size_t most_bytes);

}  // namespace shardmill::base
