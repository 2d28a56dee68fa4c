// The command line of `shardmill report`.
#pragma once

#include "cli/command.hpp"

namespace shardmill::cli {

Command report_command();

}  // namespace shardmill::cli
