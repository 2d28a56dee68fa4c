// make_rules: what depends on what, in the words of make.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardmill::base {

struct MakeRule {
  std::string target;
  std::vector<std::string> prerequisites;
};

/// A text that GNU make can include: names escaped, and every prerequisite also a target without a
/// rule, so that make does not stop at one that was removed but makes the targets again. Throws Error for a
/// name that no Makefile can hold: one with a line break, a semicolon or a bar, one that
/// ends with a backslash, a target with a percent sign.
std::string make_rules(const std::vector<MakeRule>& rules);

}  // namespace shardmill::base
