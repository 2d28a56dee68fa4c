#include "base/text/shortened.hpp"

namespace shardmill::base {

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
