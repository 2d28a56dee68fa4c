// Paths as users write them, and lists of paths.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/io/line_reader.hpp"

namespace shardmill::source {

/// Absolute, without ".", ".." and a slash at the end.
std::string normal_path(const std::string& path);

struct ListedPath {
  std::string path;
  std::uint64_t line = 0;
};

/// Skips blank lines, comments with # and blanks around a path; lines may end in CR LF. Throws Error, with
/// file and line, for a line that cannot be a path.
std::vector<ListedPath> read_path_list(base::LineReader& lines);

/// Where a path of a list leads: a relative one from the folder of the list, and where nothing is found
/// there, from the working folder.
std::string resolve_listed(const std::string& list, const std::string& path);

}  // namespace shardmill::source
