// The command line of `shardmill report`.
#pragma once

#include "shardmill/cli/command.hpp"

namespace shardmill::cli {

Command report_command();

}  // namespace shardmill::cli
