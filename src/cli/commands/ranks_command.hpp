// The command line of `shardmill ranks`.
#pragma once

#include "cli/command.hpp"

namespace shardmill::cli {

Command ranks_command();

}  // namespace shardmill::cli
