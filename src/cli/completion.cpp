#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/help.hpp"

namespace shardmill::cli {

namespace {

enum class Kind { nothing, choices, lists, folders, files };

constexpr std::string_view kAndMore = "[,...]";

/// The kind of value of an option, from its name in the help: "DIR", "none|zstd", "wids|dali[,...]".
Kind kind_of(std::string_view value) {
  if (value == "DIR") return Kind::folders;
  if (value.ends_with(kAndMore)) return Kind::lists;
  if (value.find('|') != std::string_view::npos) return Kind::choices;
  const bool is_path = value == "FILE" || value == "PATH" || value.find("SOURCE") != std::string_view::npos;
  return is_path ? Kind::files : Kind::nothing;
}

/// "none|zstd" -> "none zstd".
std::string words_of(std::string value) {
  if (value.ends_with(kAndMore)) value.resize(value.size() - kAndMore.size());
  std::replace(value.begin(), value.end(), '|', ' ');
  return value;
}

std::string names_of_commands() {
  std::string names;
  for (const Command& command : commands()) names += fmt::format("{} ", command.text.name);
  return names;
}

/// --name, and -n if there is one, with `separator` between them.
std::string spelled(const OptionText& option, char separator) {
  std::string text = "--" + option.name;
  if (option.short_name != '\0') text += fmt::format("{}-{}", separator, option.short_name);
  return text;
}

std::string bash_value(const OptionText& option) {
  const std::string names = spelled(option, '|');
  switch (kind_of(option.value)) {
    case Kind::choices:
      return fmt::format("        {}) choices='{}' ;;\n", names, words_of(option.value));
    case Kind::lists:
      return fmt::format("        {}) list='{}' ;;\n", names, words_of(option.value));
    case Kind::folders:
      return fmt::format("        {}) kind=folders ;;\n", names);
    case Kind::files:
      break;  // like the operands
    case Kind::nothing:
      return fmt::format("        {}) kind=nothing ;;\n", names);
  }
  return {};
}

std::string bash_case(const Command& command) {
  std::string values;
  std::string names;
  for (const OptionText& option : options_of(command).options()) {
    names += spelled(option, ' ') + ' ';
    if (!option.value.empty()) values += bash_value(option);
  }
  return fmt::format("    {})\n      options='{}'\n      case $before in\n{}      esac\n      ;;\n",
                     command.text.name, names, values);
}

constexpr std::string_view kBashHead =
    R"(# bash completion for shardmill; made by: shardmill --completion bash
_shardmill() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
  local choices= options= list= kind=files
  # --option=value and NAME=SOURCE come in three words.
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD-2]}
  fi
  if ((COMP_CWORD == 1)); then
    command=
    choices=')";
constexpr std::string_view kBashMiddle = R"('
    options='--help --version --man --completion'
  fi
  case $command in
)";
constexpr std::string_view kBashTail = R"(  esac
  if [[ $word == -* ]]; then
    choices=$options
  elif [[ $list ]]; then # after the last comma, the words that were not given before it
    local given=${word%"${word##*,}"} choice
    for choice in $list; do
      if [[ ,$given != *,$choice,* ]]; then choices+="$given$choice "; fi
    done
    kind=nothing
    compopt -o nospace 2>/dev/null
  fi
  if [[ $choices ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
  elif [[ $kind == nothing ]]; then
    COMPREPLY=()
  else
    compopt -o filenames 2>/dev/null
    if [[ $kind == folders ]]; then
      mapfile -t COMPREPLY < <(compgen -d -- "$word")
    else
      mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
  fi
}
complete -F _shardmill shardmill
)";

std::string bash_script() {
  std::string text = fmt::format("{}{}{}", kBashHead, names_of_commands(), kBashMiddle);
  for (const Command& command : commands()) text += bash_case(command);
  return text + std::string(kBashTail);
}

/// Escapes a text for use inside single quotes and inside the brackets of a specification.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
      out += c == '\n' ? ' ' : c;
    }
  }
  return out;
}

std::string zsh_action(const OptionText& option) {
  switch (kind_of(option.value)) {
    case Kind::choices:
      return fmt::format("({})", words_of(option.value));
    case Kind::lists:
      return fmt::format("_values -s , {} {}", option.name, words_of(option.value));
    case Kind::folders:
      return "_files -/";
    case Kind::files:
      return "_files";
    case Kind::nothing:
      break;
  }
  return " ";
}

std::string zsh_option(const OptionText& option) {
  const std::string_view value = option.value.empty() ? "" : "=";  // empty: the value is the next word
  const std::string name = option.short_name == '\0'
                               ? fmt::format("'*--{}{}", option.name, value)
                               : fmt::format("'*'{{-{},--{}{}}}'", option.short_name, option.name, value);
  std::string text = fmt::format("        {}[{}]", name, zsh_text(option.description));
  if (!option.value.empty()) text += fmt::format(":{}:{}", zsh_text(option.value), zsh_action(option));
  return text + "' \\\n";
}

constexpr std::string_view kZshHead =
    R"(#compdef shardmill
# zsh completion for shardmill; made by: shardmill --completion zsh
_shardmill_sources() { # NAME=KIND:PATH
  compset -P '*='
  compset -P '[a-z0-9]##:'
  _files
}
_shardmill() {
  local -a commands=(
)";

std::string zsh_script() {
  std::string text(kZshHead);
  for (const Command& command : commands())
    text += fmt::format("    '{}:{}'\n", command.text.name, zsh_text(command.text.summary));
  text +=
      "  )\n  if ((CURRENT == 2)); then\n    _describe command commands\n    return\n  fi\n"
      "  shift words\n  ((CURRENT--))\n  case $words[1] in\n";
  for (const Command& command : commands()) {
    text += fmt::format("    {})\n      _arguments \\\n", command.text.name);
    for (const OptionText& option : options_of(command).options()) text += zsh_option(option);
    text += "        '*:file:_shardmill_sources'\n      ;;\n";
  }
  return text + "  esac\n}\n_shardmill \"$@\"\n";
}

/// Puts a text into single quotes.
std::string fish_text(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "'";
}

/// The arguments of `complete` for the value of an option.
std::string fish_value(const OptionText& option) {
  const auto offered = [](const std::string& what) { return fmt::format(" -x -a {}", fish_text(what)); };
  switch (kind_of(option.value)) {
    case Kind::choices:
      return offered(words_of(option.value));
    case Kind::lists:  // after the last comma
      return offered(
          fmt::format("(__fish_complete_list , 'string split \" \" \"{}\"')", words_of(option.value)));
    case Kind::folders:
      return offered("(__fish_complete_directories)");
    case Kind::files:
      return " -r -F";
    case Kind::nothing:
      break;
  }
  return " -x";
}

constexpr std::string_view kFishHead =
    R"(# fish completion for shardmill; made by: shardmill --completion fish
complete -c shardmill -n __fish_use_subcommand -f -l help -d 'list the commands'
complete -c shardmill -n __fish_use_subcommand -f -l version -d 'print the version'
complete -c shardmill -n __fish_use_subcommand -f -l man -d 'print a manual page'
complete -c shardmill -n __fish_use_subcommand -x -l completion -a 'bash zsh fish' -d 'print a script for a shell'
)";

std::string fish_script() {
  std::string text(kFishHead);
  for (const Command& command : commands()) {
    text += fmt::format("complete -c shardmill -n __fish_use_subcommand -f -a {} -d {}\n", command.text.name,
                        fish_text(command.text.summary));
    for (const OptionText& option : options_of(command).options()) {
      text += fmt::format("complete -c shardmill -n '__fish_seen_subcommand_from {}' -l {}",
                          command.text.name, option.name);
      if (option.short_name != '\0') text += fmt::format(" -s {}", option.short_name);
      if (!option.value.empty()) text += fish_value(option);
      text += fmt::format(" -d {}\n", fish_text(option.description));
    }
  }
  return text;
}

}  // namespace

std::string completion_script(std::string_view shell) {
  if (shell == "bash") return bash_script();
  if (shell == "zsh") return zsh_script();
  if (shell == "fish") return fish_script();
  throw UsageError(fmt::format("there is no completion for '{}'", printable(shell)), {},
                   "give bash, zsh or fish");
}

}  // namespace shardmill::cli
