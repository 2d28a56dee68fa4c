// `shardmill --help`, `--version` and `shardmill COMMAND --help`; and manual pages and completion for
// shells, which are made from the same tables.
#pragma once

#include <string>
#include <string_view>

#include "cli/command.hpp"
#include "cli/command_line.hpp"

namespace shardmill::cli {

/// The meaning of each exit code, in two lines.
std::string_view exit_codes();

/// One line on the purpose of the program.
std::string_view purpose();

/// The text of `shardmill --help`: a line for each command.
std::string overview();

/// The text of `shardmill` without arguments: three commands to try first.
std::string greeting();

/// The help of one command. Without a topic it shows the options that most people need and the names of all
/// others; with a topic the options of that group; with "all" every option. A command that names no first
/// options always shows all of them. Throws UsageError for an unknown topic.
std::string help_text(const CommandLine& line);

/// shardmill.1, in roff.
std::string manual_page();
/// shardmill-NAME.1, in roff.
std::string manual_page(const Command& command);

/// `shardmill --version --json`: the version, the compiler, the libraries, and the vector paths of this CPU.
std::string build_facts();

/// For "bash", "zsh" or "fish". Throws UsageError for another shell.
std::string completion_script(std::string_view shell);

}  // namespace shardmill::cli
