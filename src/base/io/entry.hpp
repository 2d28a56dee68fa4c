// Entry: what a name stands for, looked at without following links, and whether two names are the same file.
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

/// The same for all names of one file or folder, also through links and bind mounts.
struct Identity {
  dev_t device = 0;
  ino_t inode = 0;

  auto operator<=>(const Identity&) const = default;
};

/// Follows links. nullopt where nothing is, or the system cannot tell.
std::optional<Identity> identity_of(const std::filesystem::path& path) noexcept;

/// True when `inner` is `outer` or lies in it, by identity: links and bind mounts do not hide it. `inner`
/// need not be there.
bool lies_in(const std::filesystem::path& inner, const std::filesystem::path& outer);

/// Does nothing where the folder is missing or holds anything.
void remove_folder_if_empty(const std::filesystem::path& folder);

/// True when every folder on the way from `folder` to the file `inner_path` in it is missing or a real one.
bool is_reached_without_links(const std::filesystem::path& folder, const std::filesystem::path& inner_path);

}  // namespace shardmill::base
