// depfile: the rules of make for what a run read and wrote.
#pragma once

#include <string>
#include <vector>

#include "shardmill/base/make_rules.hpp"
#include "shardmill/source/source_set.hpp"

namespace shardmill::commands {

/// All that the sources are made of: the files that samples come from, those that describe or list them, and
/// the folders that were searched, which change when a file is added. Each once, in a fixed order.
std::vector<std::string> files_behind(const source::SourceSet& sources);

/// Throws Error when the file that rules are to be written to is a source, a file of a dataset, or anything
/// but a file of rules or nothing. An empty `path` is none.
void check_depfile(const std::string& path, const std::vector<std::string>& prerequisites);

/// Writes the rules under this name when they are whole; makes its folder where missing.
void write_depfile(const std::string& path, const std::string& rules);

}  // namespace shardmill::commands
