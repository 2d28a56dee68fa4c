// depfile: the rules of make for what a run read and wrote.
#pragma once

#include <string>
#include <vector>

#include "base/io/make_rules.hpp"
#include "source/source_set.hpp"

namespace shardmill::repack {

/// All that the sources are made of: the files that samples come from, those that describe or list them, and
/// the folders that were searched, which change when a file is added. Each once, in a fixed order.
std::vector<std::string> files_behind(const source::SourceSet& sources);

/// What the run that the rules are for writes: `names` in `folder`, which need not be there.
struct RunResults {
  std::string folder;
  std::vector<std::string> names;
};

/// Throws Error when the file that `rules` are to be written to is a source, a file of a dataset, one that
/// the run will write, or any other that is there and was not written by write_depfile(). An empty `path` is
/// none.
void check_depfile(const std::string& path, const std::vector<base::MakeRule>& rules,
                   const RunResults& results);

/// Writes the rules under this name when they are whole, below a line that says who wrote them; makes its
/// folder where missing.
void write_depfile(const std::string& path, const std::string& rules);

}  // namespace shardmill::repack
