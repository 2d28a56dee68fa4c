// --index: which indexes a command writes.
#pragma once

#include "shardmill/cli/command_line.hpp"
#include "shardmill/commands/index_files.hpp"

namespace shardmill::cli {

/// What --index names; throws UsageError for what is none.
commands::IndexKinds index_kinds(const std::string& given);

}  // namespace shardmill::cli
