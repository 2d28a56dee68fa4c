// The manual: the texts of --help, for the terminal and as manual pages.
#pragma once

#include <string>
#include <string_view>

#include "cli/command.hpp"

namespace shardmill::cli {

/// What each exit code means, in two lines.
std::string_view exit_codes();

/// What `shardmill --help` says.
std::string overview();

/// What `shardmill` alone says: three commands to try first.
std::string greeting();

/// shardmill.1, in roff.
std::string manual_page();
/// shardmill-NAME.1, in roff.
std::string manual_page(const Command& command);

}  // namespace shardmill::cli
