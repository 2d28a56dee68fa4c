// The versions of the program and the libraries with which a run works, for run.json and doctor.
#pragma once

#include "base/version.hpp"

namespace shardmill::dataset {

/// This program's version first, then those of all libraries in lower layers, by name. `more` are the
/// libraries that the caller uses.
base::LibraryVersions all_versions(const base::LibraryVersions& more);

/// What this build cannot do or does slowly because of its libraries, and what that costs.
std::vector<std::pair<std::string, std::string>> not_built_in();

}  // namespace shardmill::dataset
