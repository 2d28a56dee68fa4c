// Names and folders: what std::filesystem does, with errors that say what, where and what to do.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace shardmill::base {

// All throw Error when the system cannot tell or cannot do it.

/// True when something has this name.
bool exists(const std::filesystem::path& path);
/// What a folder holds, in no order.
std::vector<std::filesystem::path> entries(const std::filesystem::path& folder);
/// Removes a file, or a folder and all in it, where there is one.
void remove_tree(const std::filesystem::path& path);
/// The path without links and dots; what its end names need not be there.
std::string canonical(const std::filesystem::path& path);

}  // namespace shardmill::base
