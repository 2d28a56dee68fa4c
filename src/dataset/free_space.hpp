// Free space: whether what will be written has room, asked before the work and not after hours of it.
#pragma once

#include <cstdint>
#include <string>

namespace shardmill::dataset {

/// Whether the filesystem of `folder` has room for whatever audio of so many bytes may become. The sources
/// are not looked at. False where that cannot be told.
bool has_plenty_of_room(const std::string& folder, std::uint64_t source_bytes);

/// Throws Error, with both figures, when the filesystem of `folder` has less free than `needed_bytes`. The
/// folder need not exist yet. `have_bytes` of them are written already.
void check_free_space(const std::string& folder, std::uint64_t needed_bytes, std::uint64_t have_bytes = 0);

/// The size of all files in a folder and below it; 0 where there is none.
std::uint64_t bytes_below(const std::string& folder);

}  // namespace shardmill::dataset
