// The option --index.
#pragma once

#include "cli/command_line.hpp"
#include "dataset/index_files.hpp"

namespace shardmill::cli {

/// The words that it accepts, as its help names them.
std::string index_words();

/// The kinds in the value of --index. Throws UsageError for an unknown one.
dataset::IndexKinds index_kinds(const std::string& given);

}  // namespace shardmill::cli
