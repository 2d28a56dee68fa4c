// Filesystem: what kind a folder lies on, how much room there is, and what is known to go wrong on that kind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shardmill::base {

struct Mount {
  std::string kind;     // as the kernel calls it: "ext4", "nfs4", "fuse.sshfs"
  std::string point;    // the folder it is mounted on
  std::string options;  // "rw,relatime,vers=4.2"
};

struct Filesystem {
  Mount mount;
  std::uint64_t total_bytes = 0;
  std::uint64_t free_bytes = 0;  // for this user
};

/// Throws Error when `folder` is missing, no folder, or cannot be looked at.
Filesystem filesystem_of(const std::string& folder);

/// What breaks, or is not as usual, on a filesystem of this kind, in words for users; nullopt for the
/// ordinary ones.
std::optional<std::string> peculiarity(const Mount& mount);

/// The mount with this number in the text of a /proc/PID/mountinfo.
std::optional<Mount> find_mount(std::string_view mountinfo, std::string_view mount_id);

}  // namespace shardmill::base
