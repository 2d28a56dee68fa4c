#include "base/io/entry.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.hpp"
#include "base/io/folder.hpp"

namespace shardmill::base {

namespace fs = std::filesystem;

Entry entry_at(const fs::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return Entry::nothing;
    throw system_error("cannot examine", path.string());
  }
  if (S_ISREG(status.st_mode)) return Entry::file;
  if (S_ISDIR(status.st_mode)) return Entry::folder;
  return S_ISLNK(status.st_mode) ? Entry::link : Entry::other;
}

std::string_view name(Entry entry) {
  switch (entry) {
    case Entry::nothing:
      return "nothing";
    case Entry::file:
      return "a file";
    case Entry::folder:
      return "a folder";
    case Entry::link:
      return "a link";
    case Entry::other:
      break;
  }
  return "not a regular file";
}

std::optional<Identity> identity_of(const fs::path& path) noexcept {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return Identity{.device = status.st_dev, .inode = status.st_ino};
}

void remove_folder_if_empty(const fs::path& folder) {
  if (::rmdir(folder.c_str()) == 0) return;
  if (errno == ENOENT || errno == ENOTEMPTY || errno == EEXIST || errno == EBUSY || errno == ENOTDIR) return;
  throw system_error("cannot remove the folder", folder.string());
}

bool is_reached_without_links(const fs::path& folder, const fs::path& inner_path) {
  for (fs::path inner = inner_path.parent_path(); !inner.empty(); inner = inner.parent_path()) {
    const Entry entry = entry_at(folder / inner);
    if (entry != Entry::nothing && entry != Entry::folder) return false;
  }
  return true;
}

bool lies_in(const fs::path& inner, const fs::path& outer) {
  const auto wanted = identity_of(outer);
  if (!wanted) return false;
  for (fs::path each = base::canonical(fs::absolute(inner));; each = each.parent_path()) {
    if (identity_of(each) == wanted) return true;
    if (!each.has_relative_path()) return false;
  }
}

}  // namespace shardmill::base
