#include "base/io/make_rules.hpp"

#include <set>

#include "base/error.hpp"

namespace shardmill::base {

namespace {

[[noreturn]] void refuse(std::string_view name) {
  throw Error("has a name that no Makefile can hold", at(std::string(name)), "rename it", Remedy::no_depfile);
}

std::string escaped(std::string_view name) {
  if (name.empty() || name.ends_with('\\')) refuse(name);
  std::string out = name.starts_with('~') ? "./" : "";  // otherwise make takes it for a home directory
  std::size_t backslashes = 0;                          // directly before this character
  for (const char c : name) {
    switch (c) {
      case '\n':
      case '\r':
      case ';':
      case '|':
        refuse(name);
      case '$':
        out += "$$";
        break;
      case '=':
        out += "$(if 1,=)";  // a plain '=' would make the line set a variable
        break;
      case ' ':
      case '\t':
      case '#':
      case ':':
      case '*':
      case '?':
      case '[':
        out.append(backslashes, '\\');  // make needs this before an escaped character, and only there
        out += '\\';
        [[fallthrough]];
      default:
        out += c;
    }
    backslashes = c == '\\' ? backslashes + 1 : 0;
  }
  return out;
}

/// A target with % would be a pattern rule.
bool can_be_target(std::string_view name) {
  return name.find('%') == std::string_view::npos;
}

}  // namespace

std::string make_rules(const std::vector<MakeRule>& rules) {
  std::string text;
  std::set<std::string> targets;
  std::set<std::string> alone;
  for (const MakeRule& rule : rules) {
    if (!can_be_target(rule.target)) refuse(rule.target);
    text += escaped(rule.target) + ':';
    for (const std::string& name : rule.prerequisites) {
      text += " \\\n  " + escaped(name);
      alone.insert(name);
    }
    text += '\n';
    targets.insert(rule.target);
  }
  for (const std::string& name : alone) {
    if (can_be_target(name) && !targets.contains(name)) text += '\n' + escaped(name) + ":\n";
  }
  return text;
}

}  // namespace shardmill::base
