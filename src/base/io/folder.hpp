// Names and folders: what std::filesystem does, with errors that say what, where and what to do.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace shardmill::base {

// All throw Error when the system cannot tell or cannot do it, where nothing else is said.

/// True when something has this name.
bool exists(const std::filesystem::path& path);
/// The same, and true as well when the system cannot tell. Never throws.
bool may_exist(const std::filesystem::path& path) noexcept;
/// True when this is a folder, or a link to one.
bool is_folder(const std::filesystem::path& path);
/// What a folder holds, in no order.
std::vector<std::filesystem::path> entries(const std::filesystem::path& folder);
/// Removes a file, or a folder and all in it, where there is one.
void remove_tree(const std::filesystem::path& path);
/// The path without links and dots; what its end names need not be there.
std::string canonical(const std::filesystem::path& path);

/// Folders made for what is going to be written: those that are still empty at the end go again.
class NewFolders {
 public:
  NewFolders() = default;
  NewFolders(NewFolders&&) noexcept = default;
  NewFolders& operator=(NewFolders&&) noexcept = default;
  ~NewFolders() { remove_empty(); }

  /// Makes `folder` and what is missing above it. May be called again.
  void make(const std::filesystem::path& folder);
  void remove_empty() noexcept;

 private:
  std::vector<std::string> made_;  // what is inside stands before what is outside
};

}  // namespace shardmill::base
