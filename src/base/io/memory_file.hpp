// memory_file: bytes as a file that lies nowhere on disk.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/io/file.hpp"

namespace shardmill::base {

/// A file that holds `bytes`, for readers that want one, positioned at its start. `name` is what errors call
/// it. Throws Error.
File memory_file(std::span<const std::byte> bytes, const std::string& name);

/// An empty file without a name in `folder`, for scratch data: it is gone when it is closed, and when the
/// program ends in whatever way. Throws Error.
File scratch_file(const std::string& folder);

}  // namespace shardmill::base
