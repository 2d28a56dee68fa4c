// The manual pages, made from the same tables as --help.
#pragma once

#include <string>
#include <string_view>

#include "cli/command.hpp"

namespace shardmill::cli {

/// shardmill.1, in roff.
std::string manual_page();
/// shardmill-NAME.1, in roff.
std::string manual_page(const Command& command);

}  // namespace shardmill::cli
