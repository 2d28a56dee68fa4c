// make_rules: writes dependencies as rules for make.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardmill::base {

struct MakeRule {
  std::string target;
  std::vector<std::string> prerequisites;
};

/// A text that GNU make can include, with all names escaped. Every prerequisite is also a target without a
/// recipe: when one was removed, make does not stop but makes the targets again. Throws Error for a name that
/// no Makefile can hold: one with a line break, a semicolon or a bar, one that ends with a backslash, or a
/// target with a percent sign.
std::string make_rules(const std::vector<MakeRule>& rules);

}  // namespace shardmill::base
