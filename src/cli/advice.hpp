// The text of an error for users of the command line: its remedy is said with the names of options.
#pragma once

#include <string>

#include "base/error.hpp"

namespace shardmill::cli {

/// One line: "where: problem (advice)". The advice names no option that `command` lacks; empty: of any
/// command.
std::string text_of(const Error& error, const std::string& command = {});

}  // namespace shardmill::cli
