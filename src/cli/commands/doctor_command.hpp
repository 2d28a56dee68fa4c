// The command line of `shardmill doctor`.
#pragma once

#include "base/version.hpp"
#include "cli/command.hpp"

namespace shardmill::cli {

Command doctor_command();

/// The versions of the libraries that only src/cli uses.
base::LibraryVersions library_versions();

}  // namespace shardmill::cli
