// The command line of `shardmill cat`.
#pragma once

#include "cli/command.hpp"

namespace shardmill::cli {

Command cat_command();

}  // namespace shardmill::cli
