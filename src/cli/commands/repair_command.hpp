// The command line of `shardmill repair`.
#pragma once

#include "cli/command.hpp"

namespace shardmill::cli {

Command repair_command();

}  // namespace shardmill::cli
