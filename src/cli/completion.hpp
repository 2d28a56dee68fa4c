// Completion: scripts by which shells complete the command line, made from the tables that --help is made
// from.
#pragma once

#include <string>
#include <string_view>

namespace shardmill::cli {

/// For "bash" or "zsh"; throws UsageError for another shell.
std::string completion_script(std::string_view shell);

}  // namespace shardmill::cli
