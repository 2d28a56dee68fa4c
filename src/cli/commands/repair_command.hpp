// The repair command on the command line.
#pragma once

#include "cli/command.hpp"

namespace shardmill::cli {

Command repair_command();

}  // namespace shardmill::cli
