// Entry: what stands at a path, without following links, and whether two paths name the same file.
#pragma once

#include <sys/types.h>

#include <compare>
#include <filesystem>
#include <optional>
#include <string_view>

namespace shardmill::base {

enum class Entry { nothing, file, folder, link, other };

/// Throws Error when the system cannot tell.
Entry entry_at(const std::filesystem::path& path);
/// "a link" and so on, for messages.
std::string_view name(Entry entry);

/// The same value for all paths that lead to one file or folder, also through links and bind mounts.
struct Identity {
  dev_t device = 0;
  ino_t inode = 0;

  auto operator<=>(const Identity&) const = default;
};

/// Follows links. nullopt when nothing is there or the system cannot tell.
std::optional<Identity> identity_of(const std::filesystem::path& path) noexcept;

/// True when `inner` is `outer` or lies in it. Files are compared by identity, so links and bind mounts do
/// not matter. `inner` need not exist.
bool lies_in(const std::filesystem::path& inner, const std::filesystem::path& outer);

/// Does nothing when the folder is missing or not empty.
void remove_folder_if_empty(const std::filesystem::path& folder);

/// True when every folder between `folder` and the file `inner_path` in it is missing or a real folder.
bool is_reached_without_links(const std::filesystem::path& folder, const std::filesystem::path& inner_path);

}  // namespace shardmill::base
