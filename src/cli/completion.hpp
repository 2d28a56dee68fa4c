// Completion: scripts with which shells complete the command line. They are made from the same tables as
// --help.
#pragma once

#include <string>
#include <string_view>

namespace shardmill::cli {

/// For "bash" or "zsh". Throws UsageError for another shell.
std::string completion_script(std::string_view shell);

}  // namespace shardmill::cli
