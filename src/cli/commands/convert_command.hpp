// The command line of `shardmill convert`.
#pragma once

#include "cli/command.hpp"

namespace shardmill::cli {

Command convert_command();

}  // namespace shardmill::cli
