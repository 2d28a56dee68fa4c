// List files: one path a line, as people and other tools write them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/io/line_reader.hpp"

namespace shardmill::source {

struct ListedPath {
  std::string path;
  std::uint64_t line = 0;
};

/// Blank lines, lines that begin with # and blanks around a path are skipped; lines may end in CR LF. Throws
/// Error, with file and line, for what cannot be a path.
std::vector<ListedPath> read_path_list(base::LineReader& lines);

/// Where a path of a list leads: a relative one from the folder of the list, and where nothing is found
/// there, from the working folder.
std::string resolve_listed(const std::string& list, const std::string& path);

}  // namespace shardmill::source
