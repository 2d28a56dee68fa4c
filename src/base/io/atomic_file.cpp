// AtomicFile, and the names of files: renaming, removing, folders.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/io/file.hpp"

namespace shardmill::base {

namespace {

int open_any(const std::string& path, int flags) {
  constexpr mode_t kFileMode = 0666;  // the umask takes bits away
  for (;;) {
    const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC, kFileMode);
    if (descriptor >= 0 || errno != EINTR) return descriptor;
  }
}

struct stat examined(const File& file) {
  struct stat status {};
  if (::fstat(file.descriptor(), &status) != 0) throw system_error("cannot examine", file.path());
  return status;
}

/// True if `path` still names the open file. Another process may have renamed or removed it.
bool still_named(const File& file, const std::string& path) {
  struct stat named {};
  if (::lstat(path.c_str(), &named) != 0) return false;
  const struct stat open = examined(file);
  return named.st_ino == open.st_ino && named.st_dev == open.st_dev;
}

constexpr std::string_view kPartSuffix = ".shardmill.part";

/// A hidden name that no other program uses: "a/x.tar" is written as "a/.x.tar.shardmill.part".
std::string part_path(const std::string& path) {
  const std::filesystem::path whole(path);
  const std::string name = "." + whole.filename().string() + std::string(kPartSuffix);
  return (whole.parent_path() / name).string();
}

void lock_part(const File& file) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (::fcntl(file.descriptor(), F_OFD_SETLK, &lock) != 0 && (errno == EAGAIN || errno == EACCES))
    throw Error("another process is writing it", at(file.path()), "wait for it to end");
}

/// Removes the part file of a run that crashed: its lock went with the process.
void remove_abandoned_part(const std::string& part) {
  const int descriptor = open_any(part, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0 && errno == ENOENT) return;
  if (descriptor < 0) throw system_error("cannot open the part file of an earlier run", part);
  const File file(descriptor, part);
  const struct stat status = examined(file);
  if (!S_ISREG(status.st_mode) || status.st_nlink > 1)
    throw Error("is in the way: shardmill first writes under this name", at(part), "remove it");
  lock_part(file);
  if (still_named(file, part)) remove_file(part);
}

/// Creates and locks the part file of `path`. The lock belongs to the descriptor, so a crash releases it.
File open_part(const std::string& part, const std::string& path) {
  for (;;) {
    const int descriptor = open_any(part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW);
    if (descriptor < 0 && errno != EEXIST) throw system_error("cannot create", path);
    if (descriptor < 0) {
      remove_abandoned_part(part);
      continue;
    }
    File file(descriptor, part);
    lock_part(file);
    if (still_named(file, part)) return file;
  }
}

/// Refuses to replace a folder, a link or a device.
std::string checked_target(std::string path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    throw Error(S_ISDIR(status.st_mode)   ? "is a folder, and is not replaced by a file"
                : S_ISLNK(status.st_mode) ? "is a link, and is not replaced"
                                          : "is not a regular file, and is not replaced",
                at(path), "choose another name");
  }
  return path;
}

}  // namespace

AtomicFile::AtomicFile(std::string path)
    : path_(checked_target(std::move(path))), part_(part_path(path_)), file_(open_part(part_, path_)) {}

AtomicFile::~AtomicFile() {
  if (!part_.empty()) ::unlink(part_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  file_.write(bytes);
  size_ += bytes.size();
  constexpr std::uint64_t kWritebackStep = 8 << 20;
  if (size_ - started_writeback_ < kWritebackStep) return;
  file_.start_writeback(started_writeback_, size_ - started_writeback_);
  started_writeback_ = size_;
}

void AtomicFile::write(std::string_view text) {
  write(as_bytes(text));
}

void AtomicFile::commit() {
  file_.sync();
  rename_file(part_, path_);
  part_.clear();
  sync_folder(std::filesystem::path(path_).parent_path());
  file_.close();
}

bool is_part_of_atomic_file(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with('.') && name.ends_with(kPartSuffix);
}

void sync_folder(const std::filesystem::path& folder) {
  const std::string path = folder.empty() ? "." : folder.string();
  const File handle(open_any(path, O_RDONLY | O_DIRECTORY), path);
  if (!handle.is_open()) throw system_error("cannot open the folder", path);
  // Some network filesystems refuse to sync a folder. Then its names are as safe as they can be.
  if (::fsync(handle.descriptor()) != 0 && errno != EINVAL && errno != ENOTSUP) {
    throw system_error("cannot sync the folder", path);
  }
}

void rename_file(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) throw system_error("cannot rename to " + to, from);
}

void make_folders(const std::filesystem::path& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) {
    throw Error("cannot create the folder: " + failure.message(), at(folder.string()));
  }
}

bool remove_file(const std::string& path) {
  if (::unlink(path.c_str()) == 0) return true;
  if (errno == ENOENT) return false;
  throw system_error("cannot remove", path);
}

}  // namespace shardmill::base
