// KeyPatterns: says which samples are wanted, by their keys.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pipeline/intake/key_list.hpp"

namespace shardmill::pipeline {

/// Shell patterns for whole keys, as they are in the source: * also matches /, ? is one byte, [a-z] is a set.
struct KeyPatterns {
  std::vector<std::string> include{};  // when there are any, a key must match one
  std::vector<std::string> exclude{};  // it must match none
  KeyFile only{};                      // when there is one, a key must be in it
  KeyFile never{};                     // it must not be in this one

  bool includes(std::string_view key) const;
  /// The first pattern of `exclude` that matches; nullptr when none does.
  const std::string* excludes(std::string_view key) const;
  bool is_listed(std::string_view key) const { return only.keys == nullptr || only.keys->contains(key); }
  bool is_banned(std::string_view key) const { return never.keys != nullptr && never.keys->contains(key); }
  bool wants(std::string_view key) const {
    return includes(key) && excludes(key) == nullptr && is_listed(key) && !is_banned(key);
  }
};

/// Writes patterns as one text, each as a line, and reads them back.
std::string text_of(const std::vector<std::string>& patterns);
std::vector<std::string> patterns_of(std::string_view text);

}  // namespace shardmill::pipeline
