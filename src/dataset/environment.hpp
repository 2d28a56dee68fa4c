// What a run finds around it: the versions of the program and the libraries, for run.json and doctor; and the
// free space for its results, asked before the work and not after hours of it.
#pragma once

#include <cstdint>
#include <string>

#include "base/version.hpp"

namespace shardmill::dataset {

/// This program's version first, then those of all libraries in lower layers, by name. `more` are the
/// libraries that the caller uses.
base::LibraryVersions all_versions(const base::LibraryVersions& more);

/// What this build cannot do or does slowly because of its libraries, and what that costs.
std::vector<std::pair<std::string, std::string>> not_built_in();

/// True when the filesystem of `folder` has room for `source_bytes` bytes of audio in any form. Does not look
/// at the sources. False when the free space is unknown.
bool has_plenty_of_room(const std::string& folder, std::uint64_t source_bytes);

/// Throws Error, with both figures, when the filesystem of `folder` has less free than `needed_bytes`. The
/// folder need not exist yet. `have_bytes` of them are written already.
void check_free_space(const std::string& folder, std::uint64_t needed_bytes, std::uint64_t have_bytes = 0);

/// The size of all files in a folder and below it; 0 for a folder that does not exist.
std::uint64_t bytes_below(const std::string& folder);

}  // namespace shardmill::dataset
