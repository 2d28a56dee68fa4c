// Files without a name: in memory, and for scratch data in a folder.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/io/file.hpp"

namespace shardmill::base {

/// A file in memory that holds `bytes`, positioned at its start. Errors call it `name`. Throws Error.
File memory_file(std::span<const std::byte> bytes, const std::string& name);

/// An empty file without a name in `folder`, for scratch data. The system removes it when it is closed, and
/// when the program ends in any way. Throws Error.
File scratch_file(const std::string& folder);

/// The folder for scratch files that belong to no dataset: TMPDIR, or /var/tmp.
std::string scratch_folder();

}  // namespace shardmill::base
