// Paths and folders: like std::filesystem, but with errors that name the problem, the path and the advice.
#pragma once

#include <sys/types.h>

#include <compare>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardmill::base {

/// FOLDER/NAME.
inline std::string inside(const std::string& folder, std::string_view name) {
  return folder + (folder.ends_with('/') ? "" : "/") + std::string(name);
}

/// `path` without slashes at its end; "/" stays as it is.
inline std::string without_end_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

// The functions below throw Error if the system fails, unless they say otherwise. A path may be an address on
// a server (base/remote/url.hpp). In buckets, there are files and folders as on a disk; on web servers, every
// address is a file. None is ever changed.

/// True if there is an entry at `path`.
bool exists(const std::filesystem::path& path);
/// True if there is an entry at `path`, and if the system cannot examine it. Web servers are not asked:
/// false. Never throws.
bool may_exist(const std::filesystem::path& path) noexcept;
/// True for a folder, and for a link to one.
bool is_folder(const std::filesystem::path& path);
/// The size of a regular file, also through a link; nullopt if there is none.
std::optional<std::uint64_t> size_of_file(const std::filesystem::path& path);
/// The entries of a folder, in no particular order.
std::vector<std::filesystem::path> entries(const std::filesystem::path& folder);
/// Removes a file, or a folder with everything in it. Does nothing if `path` does not exist.
void remove_tree(const std::filesystem::path& path);
/// `path` from the root, without dots.
std::string absolute(const std::filesystem::path& path);
/// `path` without links and dots; its last components need not exist.
std::string canonical(const std::filesystem::path& path);

/// As long as it lives, a folder in a bucket looks as it did at first, to all functions here: one list
/// answers all of their questions. Does nothing for a folder on a disk.
class ListedFolder {
 public:
  /// Throws Error if the bucket cannot be listed.
  explicit ListedFolder(const std::string& path);
  ListedFolder(ListedFolder&& other) noexcept : held_(std::exchange(other.held_, {})) {}
  ListedFolder& operator=(ListedFolder&&) = delete;
  ~ListedFolder();

 private:
  std::string held_;  // empty: no list
};

/// Makes folders for output, and removes those that are still empty at the end.
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

/// The kind of an entry, without following links.
enum class Entry { nothing, file, folder, link, other };

Entry entry_at(const std::filesystem::path& path);
/// The kind in words: "a link", "a folder".
std::string_view name(Entry entry);

/// The same value for all paths that lead to one file or folder, also through links and bind mounts.
struct Identity {
  dev_t device = 0;
  ino_t inode = 0;

  auto operator<=>(const Identity&) const = default;
};

/// Follows links. Returns nullopt if there is no entry or the system cannot examine it. Never throws.
std::optional<Identity> identity_of(const std::filesystem::path& path) noexcept;
/// The same value for as long as no other file gets this name. Asks anew, whatever is listed.
std::optional<Identity> version_of(const std::filesystem::path& path);

/// True if `inner` is `outer` or lies in it. Compares identities, so links and bind mounts do not matter.
/// `inner` need not exist.
bool lies_in(const std::filesystem::path& inner, const std::filesystem::path& outer);

/// Does nothing if the folder is missing or not empty.
void remove_folder_if_empty(const std::filesystem::path& folder);

/// True if no folder between `folder` and the file `inner_path` in it is a link: each is missing or a real
/// folder.
bool is_reached_without_links(const std::filesystem::path& folder, const std::filesystem::path& inner_path);

}  // namespace shardmill::base
