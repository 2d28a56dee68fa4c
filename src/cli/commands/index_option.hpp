// --index: which indexes a command writes.
#pragma once

#include "cli/command_line.hpp"
#include "dataset/index_files.hpp"

namespace shardmill::cli {

/// The words that it takes, as its help names them.
std::string index_words();

/// The kinds that --index names. Throws UsageError for an unknown one.
dataset::IndexKinds index_kinds(const std::string& given);

}  // namespace shardmill::cli
