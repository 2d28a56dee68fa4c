// The command line of `shardmill index`.
#pragma once

#include "cli/command.hpp"

namespace shardmill::cli {

Command index_command();

}  // namespace shardmill::cli
