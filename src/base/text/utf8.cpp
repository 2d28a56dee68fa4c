#include "base/text/utf8.hpp"

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

}  // namespace shardmill::base
