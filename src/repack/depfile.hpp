// depfile: writes rules for make, which say what a run read and wrote.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "source/source_set.hpp"

namespace shardmill::repack {

struct MakeRule {
  std::string target;
  std::vector<std::string> prerequisites;
};

/// A text that GNU make can include, with all names escaped. Every prerequisite is also a target without a
/// recipe: when one was removed, make does not stop but makes the targets again. Throws Error for a name that
/// no Makefile can hold: one with a line break, a semicolon or a bar, one that ends with a backslash, or a
/// target with a percent sign.
std::string make_rules(const std::vector<MakeRule>& rules);

/// Everything that the sources are made of: the files that samples come from, the files that describe or list
/// them, and the folders that were searched, because a folder changes when a file is added. Each path comes
/// once, in a fixed order.
std::vector<std::string> files_of_sources(const source::SourceSet& sources);

/// What the run writes that the rules are for: `names` in `folder`, which need not exist yet.
struct RunResults {
  std::string folder;
  std::vector<std::string> names;
};

/// Throws Error when the file for `rules` is a source, a file of a dataset, a file that the run will write,
/// or any other existing file that write_depfile() did not write. An empty `path` means that there is no such
/// file.
void check_depfile(const std::string& path, const std::vector<MakeRule>& rules, const RunResults& results);

/// Writes the rules below a line that says who wrote them. The file gets its name when it is whole; its
/// folder is made if it is missing.
void write_depfile(const std::string& path, const std::string& rules);

}  // namespace shardmill::repack
