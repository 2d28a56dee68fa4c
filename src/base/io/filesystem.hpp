// Filesystem: the kind of filesystem under a folder, its free space, and the known troubles of that kind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shardmill::base {

struct Mount {
  std::string kind;     // the kernel's name: "ext4", "nfs4", "fuse.sshfs"
  std::string point;    // the folder it is mounted on
  std::string options;  // "rw,relatime,vers=4.2"
};

struct Filesystem {
  Mount mount;
  std::uint64_t total_bytes = 0;
  std::uint64_t free_bytes = 0;  // that this user may fill
};

/// Throws Error if `folder` is missing, is not a folder, or cannot be examined.
Filesystem filesystem_of(const std::string& folder);

/// The known troubles of this kind of filesystem, in words for users; nullopt for ordinary ones.
std::optional<std::string> peculiarity(const Mount& mount);

/// The mount with this number in the text of a /proc/PID/mountinfo.
std::optional<Mount> find_mount(std::string_view mountinfo, std::string_view mount_id);

}  // namespace shardmill::base
