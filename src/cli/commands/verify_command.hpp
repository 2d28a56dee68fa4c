// The command line of `shardmill verify`.
#pragma once

#include "cli/command.hpp"

namespace shardmill::cli {

Command verify_command();

}  // namespace shardmill::cli
