// The command line of `shardmill doctor`.
#pragma once

#include "base/system/library_versions.hpp"
#include "cli/command.hpp"

namespace shardmill::cli {

Command doctor_command();

/// Of the libraries that the command line itself uses.
base::LibraryVersions library_versions();

}  // namespace shardmill::cli
