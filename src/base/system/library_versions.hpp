// Versions of the libraries, which a run records so that a difference between two machines can be explained.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace shardmill::base {

/// Name and version, as in {"libzstd", "1.5.4"}.
using LibraryVersions = std::vector<std::pair<std::string, std::string>>;

/// The versions of the libraries that src/base uses.
LibraryVersions library_versions();

}  // namespace shardmill::base
