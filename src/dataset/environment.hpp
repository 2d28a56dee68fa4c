// The versions of the program and the libraries with which a run works, for run.json and doctor.
#pragma once

#include "base/system/library_versions.hpp"

namespace shardmill::dataset {

/// This program's version first, then those of all libraries in lower layers, by name. `more` are the
/// libraries that the caller uses.
base::LibraryVersions all_versions(const base::LibraryVersions& more);

}  // namespace shardmill::dataset
