// The text of an error on the command line: it names the options that help.
#pragma once

#include <string>

#include "base/error.hpp"

namespace shardmill::cli {

/// One line: "where: problem (advice)". The advice names only options that `command` has. If `command` is
/// empty, it may name options of any command.
std::string text_of(const Error& error, const std::string& command = {});

}  // namespace shardmill::cli
