// Letters: ASCII in any locale, bytes as text, UTF-8 that may be damaged, and suggestions for a name that
// was mistyped.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace shardmill::base {

constexpr char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

inline std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](char c) { return lower(c); });
  return result;
}

/// `text` without `blanks` at its ends.
constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r") {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// `bytes` as text, valid as long as the bytes are.
inline std::string_view as_text(std::span<const std::byte> bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

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

/// The name most similar to `word`; nullopt if no name is similar enough. Of equally similar names, the
/// first.
std::optional<std::string> most_similar(std::string_view word, std::span<const std::string> names);

/// "did you mean 'aishell2'?", or `otherwise` if no name is similar.
std::string did_you_mean(std::string_view word, std::span<const std::string> names,
                         std::string_view otherwise);

}  // namespace shardmill::base
