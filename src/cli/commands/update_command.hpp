// The command `update`.
#pragma once

#include "cli/command.hpp"

namespace shardmill::cli {

Command update_command();

}  // namespace shardmill::cli
