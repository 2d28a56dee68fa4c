// The command line of `shardmill cat`.
#pragma once

#include "shardmill/cli/command.hpp"

namespace shardmill::cli {

Command cat_command();

}  // namespace shardmill::cli
