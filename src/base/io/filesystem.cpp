#include "base/io/filesystem.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/error.hpp"
#include "base/io/file.hpp"

namespace shardmill::base {

namespace {

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const auto end = std::min(line.find(' '), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

/// Undoes the octal escapes for blanks and backslashes in mountinfo: "my\040disk".
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && text.size() - i > 3) {
      out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

bool has_option(const Mount& mount, std::string_view option) {
  return fmt::format(",{},", mount.options).find(fmt::format(",{},", option)) != std::string::npos;
}

/// The number of the mount that holds an open file, from its fdinfo: "mnt_id:\t29".
std::string mount_id_of(const File& file) {
  constexpr std::string_view kName = "mnt_id:\t";
  const std::string info = read_text(fmt::format("/proc/self/fdinfo/{}", file.descriptor()));
  const auto found = info.find(kName);
  if (found == std::string::npos) return {};
  const auto begin = found + kName.size();
  return info.substr(begin, info.find('\n', begin) - begin);
}

Mount mount_of(const File& folder) {
  try {
    if (auto mount = find_mount(read_text("/proc/self/mountinfo"), mount_id_of(folder))) return *mount;
  } catch (const Error&) {
    // A sandbox may have no /proc: then only the type number below is known.
  }
  struct statfs status {};
  if (::fstatfs(folder.descriptor(), &status) != 0) throw system_error("cannot look at", folder.path());
  return {.kind = fmt::format("unknown (type {:#x})", static_cast<unsigned long>(status.f_type)),
          .point = {},
          .options = {}};
}

std::string nfs_peculiarity(const Mount& mount) {
  for (const std::string_view local : {"nolock", "local_lock=all", "local_lock=posix"}) {
    if (!has_option(mount, local)) continue;
    return fmt::format(
        "NFS mounted with {}: locks hold on this machine only, so two machines can write into one dataset at "
        "once; and other machines see new names only after seconds",
        local);
  }
  return "NFS: locks need a working lock service on the server, and runs are refused without one; other "
         "machines see new names only after seconds, so start a job that reads the result with a delay";
}

}  // namespace

std::optional<Mount> find_mount(std::string_view mountinfo, std::string_view mount_id) {
  while (!mountinfo.empty()) {
    const auto end = std::min(mountinfo.find('\n'), mountinfo.size());
    const auto words = words_of(mountinfo.substr(0, end));
    mountinfo.remove_prefix(std::min(end + 1, mountinfo.size()));
    // "29 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,errors=continue"
    const auto dash = std::find(words.begin(), words.end(), "-");
    if (words.size() < 6 || words.end() - dash < 2 || words[0] != mount_id) continue;
    Mount mount{.kind = std::string(dash[1]), .point = unescaped(words[4]), .options = std::string(words[5])};
    if (words.end() - dash > 3) mount.options += "," + unescaped(dash[3]);
    return mount;
  }
  return std::nullopt;
}

std::optional<std::string> peculiarity(const Mount& mount) {
  const std::string_view kind = mount.kind;
  const auto is = [kind](auto... names) { return ((kind == names) || ...); };
  if (is("nfs", "nfs4")) return nfs_peculiarity(mount);
  if (is("cifs", "smb3", "smbfs"))
    return "SMB: a file that another machine has open cannot be replaced, so publishing a dataset can fail "
           "while it is being read; names that differ only in case are one file";
  if (kind.starts_with("fuse"))
    return fmt::format(
        "{}: that program decides how locks and renames work; on object stores a rename is a copy and "
        "a crash can leave half of it. Write to a local disk and copy the finished dataset",
        kind);
  if (is("9p"))
    return "9p, a folder of the host: locks may hold in this guest only, and a sync may not reach the host's "
           "disk; the last writes before a crash can be lost";
  if (is("vfat", "msdos"))
    return "FAT: no file may be larger than 4 GiB, times are kept to 2 seconds only, so a source changed "
           "twice "
           "within that looks unchanged; names that differ only in case are one file; a crash can lose names";
  if (is("exfat", "ntfs", "ntfs3"))
    return fmt::format("{}: names that differ only in case are one file; a crash can lose names", kind);
  if (is("overlay"))
    return "overlay, the inside of a container: its files are lost when the container is removed. "
           "Use "
           "a folder that is mounted into it";
  if (is("tmpfs", "ramfs")) return fmt::format("{}: files take memory, and are gone after a restart", kind);
  if (is("lustre") && (has_option(mount, "noflock") || has_option(mount, "localflock")))
    return "Lustre without flock: locks are missing or hold on this machine only; mount it with -o flock";
  return std::nullopt;
}

Filesystem filesystem_of(const std::string& folder) {
  const File handle(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), folder);
  if (!handle.is_open()) throw system_error("cannot open the folder", folder);
  struct statvfs room {};
  if (::fstatvfs(handle.descriptor(), &room) != 0) throw system_error("cannot look at", folder);
  return {.mount = mount_of(handle),
          .total_bytes = std::uint64_t{room.f_blocks} * room.f_frsize,
          .free_bytes = std::uint64_t{room.f_bavail} * room.f_frsize};
}

}  // namespace shardmill::base
