// Names and folders: like std::filesystem, but with errors that say what failed, where, and what to do.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace shardmill::base {

/// FOLDER/NAME.
inline std::string inside(const std::string& folder, std::string_view name) {
  return folder + "/" + std::string(name);
}

// The others throw Error when the system cannot tell or cannot do it, unless they say otherwise.

/// True when something has this name.
bool exists(const std::filesystem::path& path);
/// True when something has this name, and when the system cannot tell. Never throws.
bool may_exist(const std::filesystem::path& path) noexcept;
/// True when this is a folder, or a link to one.
bool is_folder(const std::filesystem::path& path);
/// The entries of a folder, in no particular order.
std::vector<std::filesystem::path> entries(const std::filesystem::path& folder);
/// Removes a file, or a folder with everything in it. Does nothing when there is none.
void remove_tree(const std::filesystem::path& path);
/// The path without links and dots; the last names of it need not exist.
std::string canonical(const std::filesystem::path& path);

/// Folders that were made for output: remove_empty() removes those that are still empty.
class NewFolders {
 public:
  NewFolders() = default;
  NewFolders(NewFolders&&) noexcept = default;
  NewFolders& operator=(NewFolders&&) noexcept = default;
  ~NewFolders() { remove_empty(); }

  /// Makes `folder` and its missing parents. May be called again.
  void make(const std::filesystem::path& folder);
  void remove_empty() noexcept;

 private:
  std::vector<std::string> made_;  // inner folders come before outer ones
};

}  // namespace shardmill::base
