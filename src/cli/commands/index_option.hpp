// --index: which indexes a command writes.
#pragma once

#include "cli/command_line.hpp"
#include "dataset/index_files.hpp"

namespace shardmill::cli {

/// The words it takes, as its help names them.
std::string index_words();

/// What --index names; throws UsageError for what is none.
dataset::IndexKinds index_kinds(const std::string& given);

}  // namespace shardmill::cli
