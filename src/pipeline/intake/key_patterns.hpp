// KeyPatterns: which samples are wanted, by their keys.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardmill::pipeline {

/// Shell patterns for whole keys as they stand in the source: * also matches /, ? is one byte, [a-z] a set.
struct KeyPatterns {
  std::vector<std::string> include{};  // when there are any, a key must match one
  std::vector<std::string> exclude{};  // it must match none

  bool includes(std::string_view key) const;
  /// The first pattern of `exclude` that matches; nullptr when none does.
  const std::string* excludes(std::string_view key) const;
  bool wants(std::string_view key) const { return includes(key) && excludes(key) == nullptr; }
};

/// Several patterns as one text, and back: each ends its line.
std::string text_of(const std::vector<std::string>& patterns);
std::vector<std::string> patterns_of(std::string_view text);

}  // namespace shardmill::pipeline
