// The command line of `shardmill repack`.
#pragma once

#include "shardmill/cli/command.hpp"

namespace shardmill::cli {

Command repack_command();

}  // namespace shardmill::cli
