// The command line of `shardmill inspect`.
#pragma once

#include "cli/command.hpp"

namespace shardmill::cli {

Command inspect_command();

}  // namespace shardmill::cli
