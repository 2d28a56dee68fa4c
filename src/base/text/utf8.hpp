// UTF-8: stepping through text that may be damaged.
#pragma once

#include <cstddef>
#include <string_view>

namespace shardmill::base {

/// The code point at the start of a text, or the damage found there.
struct Utf8Step {
  std::size_t bytes = 1;  // how far to advance
  bool valid = false;     // false: these bytes count as one U+FFFD
  char32_t code_point = 0xFFFD;
};

/// `text` must not be empty. Damage is divided as Unicode recommends (the longest valid beginning of a
/// sequence counts as one error), which is also what Python's errors="replace" does.
Utf8Step first_utf8(std::string_view text) noexcept;

bool is_utf8(std::string_view text) noexcept;

}  // namespace shardmill::base
