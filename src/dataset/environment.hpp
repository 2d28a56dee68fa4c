// Environment: what a run works with, for run.json and doctor.
#pragma once

#include "base/system/library_versions.hpp"

namespace shardmill::dataset {

/// This program's version first, then those of all libraries below this layer, by name; `more` are those that
/// the caller uses.
base::LibraryVersions all_versions(const base::LibraryVersions& more);

}  // namespace shardmill::dataset
