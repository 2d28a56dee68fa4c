#include "base/io/folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "base/remote/object.hpp"
#include "base/remote/url.hpp"

namespace shardmill::base {

namespace fs = std::filesystem;

namespace {

void check(const std::error_code& failure, const char* doing, const fs::path& path) {
  if (!failure) return;
  errno = failure.value();
  throw system_error(doing, path.string());
}

}  // namespace

bool exists(const fs::path& path) {
  if (is_remote(path.native())) return remote_entry(path.native()).kind != RemoteEntry::Kind::nothing;
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (fs::status_known(status)) return fs::exists(status);
  check(failure, "cannot examine", path);
  return true;
}

bool may_exist(const fs::path& path) noexcept {
  if (is_remote(path.native())) {
    if (!path.native().starts_with("s3://")) return false;
    try {
      return base::exists(path);
    } catch (...) {
      return true;
    }
  }
  std::error_code failure;
  return fs::exists(path, failure) || failure;
}

bool is_folder(const fs::path& path) {
  if (is_remote(path.native())) return is_remote_folder(path.native());
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (!fs::status_known(status)) check(failure, "cannot examine", path);
  return fs::is_directory(status);
}

std::optional<std::uint64_t> size_of_file(const fs::path& path) {
  if (is_remote(path.native())) {
    const RemoteEntry entry = remote_entry(path.native());
    return entry.kind == RemoteEntry::Kind::file ? std::optional(entry.bytes) : std::nullopt;
  }
  std::error_code failure;
  if (!fs::is_regular_file(path, failure)) return std::nullopt;
  const auto bytes = fs::file_size(path, failure);
  return failure ? std::nullopt : std::optional<std::uint64_t>(bytes);
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> found;
  if (is_remote(folder.native())) {
    for (const std::string& entry : remote_entries(folder.native())) found.emplace_back(entry);
    return found;
  }
  std::error_code failure;
  fs::directory_iterator entry(folder, failure);
  for (; !failure && entry != fs::directory_iterator(); entry.increment(failure)) {
    found.push_back(entry->path());
  }
  check(failure, "cannot read the folder", folder);
  return found;
}

void remove_tree(const fs::path& path) {
  std::error_code failure;
  fs::remove_all(path, failure);
  check(failure, "cannot remove", path);
}

std::string absolute(const fs::path& path) {
  return is_remote(path.native()) ? path.string() : fs::absolute(path).lexically_normal().string();
}

std::string canonical(const fs::path& path) {
  if (is_remote(path.native())) return path.string();
  std::error_code failure;
  const fs::path result = fs::weakly_canonical(path, failure);
  check(failure, "cannot examine", path);
  return result.string();
}

ListedFolder::ListedFolder(const std::string& path) {
  if (!path.starts_with("s3://")) return;
  hold_remote_list(path);
  held_ = path;
}

ListedFolder::~ListedFolder() {
  if (!held_.empty()) release_remote_list(held_);
}

void NewFolders::make(const fs::path& folder) {
  std::vector<std::string> missing;
  for (fs::path each = folder; !each.empty() && !may_exist(each); each = each.parent_path()) {
    missing.push_back(each.string());
  }
  made_.insert(made_.begin(), missing.begin(), missing.end());
  make_folders(folder);
}

void NewFolders::remove_empty() noexcept {
  // This fails for a folder that is in use, as it should.
  for (const std::string& folder : made_) ::rmdir(folder.c_str());
  made_.clear();
}

Entry entry_at(const fs::path& path) {
  if (is_remote(path.native())) {
    const auto kind = remote_entry(path.native()).kind;
    return kind == RemoteEntry::Kind::file     ? Entry::file
           : kind == RemoteEntry::Kind::folder ? Entry::folder
                                               : Entry::nothing;
  }
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
  if (is_remote(path.native())) return Identity{.device = 0, .inode = quick_hash(as_bytes(path.native()))};
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return Identity{.device = status.st_dev, .inode = status.st_ino};
}

std::optional<Identity> version_of(const fs::path& path) {
  if (!is_remote(path.native())) return identity_of(path);
  if (!base::exists(path)) return std::nullopt;
  const auto object = RemoteObject::open(path.native());
  return Identity{.device = 1, .inode = quick_hash(as_bytes(object->shown() + "\n" + object->version()))};
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
