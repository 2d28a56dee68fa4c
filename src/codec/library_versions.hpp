// The versions of the codecs' libraries.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/system/library_versions.hpp"

namespace shardmill::codec {

base::LibraryVersions library_versions();

/// Optional libraries that the program was built without, and what that costs: {"libisal", "gzip and parity
/// take more time"}.
std::vector<std::pair<std::string, std::string>> missing_libraries();

}  // namespace shardmill::codec
