#include "pipeline/intake/key_patterns.hpp"

#include <fnmatch.h>

#include <algorithm>

namespace shardmill::pipeline {

namespace {

auto first_match(const std::vector<std::string>& patterns, std::string_view key) {
  const std::string text(key);
  return std::find_if(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return ::fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
  });
}

}  // namespace

bool KeyPatterns::includes(std::string_view key) const {
  return include.empty() || first_match(include, key) != include.end();
}

const std::string* KeyPatterns::excludes(std::string_view key) const {
  const auto found = first_match(exclude, key);
  return found == exclude.end() ? nullptr : &*found;
}

std::string text_of(const std::vector<std::string>& patterns) {
  std::string text;
  for (const std::string& pattern : patterns) text += pattern + "\n";
  return text;
}

std::vector<std::string> patterns_of(std::string_view text) {
  std::vector<std::string> patterns;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    patterns.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return patterns;
}

}  // namespace shardmill::pipeline
