#include "base/text/letters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace shardmill::base {

namespace {

struct Lead {
  std::size_t bytes = 0;        // of the whole sequence; 0: not the start of a sequence
  unsigned char lowest = 0x80;  // bounds of the second byte: they exclude surrogates and overlong forms
  unsigned char highest = 0xBF;
};

Lead lead_of(unsigned char byte) noexcept {
  if (byte >= 0xC2 && byte <= 0xDF) return {.bytes = 2};
  if (byte == 0xE0) return {.bytes = 3, .lowest = 0xA0};
  if (byte == 0xED) return {.bytes = 3, .highest = 0x9F};
  if (byte >= 0xE1 && byte <= 0xEF) return {.bytes = 3};
  if (byte == 0xF0) return {.bytes = 4, .lowest = 0x90};
  if (byte == 0xF4) return {.bytes = 4, .highest = 0x8F};
  if (byte >= 0xF1 && byte <= 0xF3) return {.bytes = 4};
  return {};
}

}  // namespace

Utf8Step first_utf8(std::string_view text) noexcept {
  const auto byte = [&](std::size_t index) { return static_cast<unsigned char>(text[index]); };
  if (byte(0) < 0x80) return {.bytes = 1, .valid = true, .code_point = byte(0)};
  Lead lead = lead_of(byte(0));
  if (lead.bytes == 0) return {};
  char32_t code_point = byte(0) & (0x7Fu >> lead.bytes);
  for (std::size_t i = 1; i < lead.bytes; ++i) {
    if (i == text.size() || byte(i) < lead.lowest || byte(i) > lead.highest) return {.bytes = i};
    code_point = code_point << 6 | (byte(i) & 0x3Fu);
    lead.lowest = 0x80;
    lead.highest = 0xBF;
  }
  return {.bytes = lead.bytes, .valid = true, .code_point = code_point};
}

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const Utf8Step step = first_utf8(text);
    if (!step.valid) return false;
    text.remove_prefix(step.bytes);
  }
  return true;
}

namespace {

constexpr std::string_view kGap = " [...] ";

bool is_inside_of_sequence(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

}  // namespace

std::string shortened(std::string_view text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) return std::string(text);
  const std::size_t kept = most_bytes > kGap.size() ? most_bytes - kGap.size() : 0;
  std::size_t first = kept - kept / 3;
  std::size_t last = text.size() - kept / 3;
  while (first > 0 && is_inside_of_sequence(text[first])) --first;
  while (last < text.size() && is_inside_of_sequence(text[last])) ++last;
  return std::string(text.substr(0, first)).append(kGap).append(text.substr(last));
}

namespace {

constexpr std::size_t kLongestWord = 64;  // longer words are not compared

/// The number of letters that must be changed, added, left out or swapped with their neighbour to turn `a`
/// into `b`.
std::size_t typing_errors(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::optional<std::string> most_similar(std::string_view word, std::span<const std::string> names) {
  if (word.empty() || word.size() > kLongestWord) return std::nullopt;
  std::optional<std::string> best;
  std::size_t fewest = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& name : names) {
    if (name.size() > kLongestWord) continue;
    const bool is_beginning = word.size() >= 3 && name.starts_with(word);
    const std::size_t errors = is_beginning ? 1 : typing_errors(word, name);
    if (errors >= fewest) continue;
    fewest = errors;
    best = name;
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> names,
                         std::string_view otherwise) {
  const auto similar = most_similar(word, names);
  return similar ? fmt::format("did you mean '{}'?", *similar) : std::string(otherwise);
}

}  // namespace shardmill::base
