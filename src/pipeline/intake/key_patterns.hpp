// KeyPatterns: says by their keys which samples are wanted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardmill::pipeline {

/// Shell patterns for whole keys, as they are in the source: * also matches /, ? is one byte, [a-z] is a set.
struct KeyPatterns {
  std::vector<std::string> include{};  // if there are any, a key must match one of them
  std::vector<std::string> exclude{};  // a key must match none of them

  bool includes(std::string_view key) const;
  /// The first pattern of `exclude` that matches; nullptr when none does.
  const std::string* excludes(std::string_view key) const;
  bool wants(std::string_view key) const { return includes(key) && excludes(key) == nullptr; }
};

/// Writes patterns as one text, each as a line, and reads them back.
std::string text_of(const std::vector<std::string>& patterns);
std::vector<std::string> patterns_of(std::string_view text);

}  // namespace shardmill::pipeline
