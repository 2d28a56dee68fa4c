// The version of this build and of the libraries that it uses.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardmill::base {

/// "0.1.0".
std::string_view version() noexcept;

/// Name and version, as in {"libzstd", "1.5.4"}. A run records them, so that a difference between two
/// machines can be explained.
using LibraryVersions = std::vector<std::pair<std::string, std::string>>;

/// The versions of the libraries that base/ uses.
LibraryVersions library_versions();

}  // namespace shardmill::base
