#include "base/io/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "base/error.hpp"
#include "base/io/volumes.hpp"
#include "base/remote/object.hpp"
#include "base/remote/url.hpp"
#include "base/system/process.hpp"

namespace shardmill::base {

namespace {

constexpr mode_t kFileMode = 0666;  // the umask takes bits away

template <typename Call>
auto retry(Call call) {
  for (;;) {
    const auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

File open_file(const std::string& path, int flags, const char* doing) {
  const int descriptor = retry([&] { return ::open(path.c_str(), flags | O_CLOEXEC, kFileMode); });
  if (descriptor < 0) throw system_error(doing, path);
  return {descriptor, path};
}

struct stat status_of(const File& file) {
  struct stat status {};
  if (::fstat(file.descriptor(), &status) != 0) throw system_error("cannot examine", file.path());
  return status;
}

File duplicate_of(int descriptor, const char* doing, const std::string& path) {
  const int copy = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
  if (copy < 0) throw system_error(doing, path);
  return {copy, path};
}

/// Reads once. Waits for data until a signal asks the program to stop.
ssize_t read_some(int descriptor, std::span<std::byte> out) {
  for (;;) {
    if (descriptor >= 0) wait_readable(descriptor);
    const ssize_t got = ::read(descriptor, out.data(), out.size());
    if (got >= 0 || (errno != EINTR && errno != EAGAIN)) return got;
  }
}

/// Called after a short write: without a reader, the next write to the pipe would block for ever.
void check_stop_at(const File& file) {
  const int error = errno;
  if (stop_signal() != 0 && !file.is_regular()) check_stop();
  errno = error;
}

/// True if `path` still names the open file. Another process may have renamed or removed it.
bool still_named(const File& file, const std::string& path) {
  struct stat named {};
  if (::lstat(path.c_str(), &named) != 0) return false;
  const struct stat open = status_of(file);
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
  const int descriptor =
      retry([&] { return ::open(part.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC); });
  if (descriptor < 0 && errno == ENOENT) return;
  if (descriptor < 0) throw system_error("cannot open the part file of an earlier run", part);
  const File file(descriptor, part);
  const struct stat status = status_of(file);
  if (!S_ISREG(status.st_mode) || status.st_nlink > 1)
    throw Error("is in the way: shardmill first writes under this name", at(part), "remove it");
  lock_part(file);
  if (still_named(file, part)) remove_file(part);
}

/// Creates and locks the part file of `path`. The lock belongs to the descriptor, so a crash releases it.
File open_part(const std::string& part, const std::string& path) {
  for (;;) {
    const int descriptor = retry(
        [&] { return ::open(part.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kFileMode); });
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

File::File(File&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      path_(std::move(other.path_)),
      volumes_(std::move(other.volumes_)),
      remote_(std::move(other.remote_)),
      position_(other.position_) {}

File::File(std::shared_ptr<const RemoteObject> remote) : path_(remote->shown()), remote_(std::move(remote)) {}

File& File::operator=(File&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(path_, other.path_);
  std::swap(remote_, other.remote_);
  std::swap(volumes_, other.volumes_);
  std::swap(position_, other.position_);
  return *this;
}

File::~File() {
  if (is_open()) ::close(descriptor_);
}

File File::open_read(const std::string& path) {
  if (is_remote(path)) return File(RemoteObject::open(path));
  File file = open_single(path);
  const std::vector<std::string> paths = volumes_of(path);
  if (paths.empty()) return file;
  std::vector<File> volumes;
  for (const std::string& each : paths) volumes.push_back(open_single(each));
  file.volumes_ = std::make_shared<const std::vector<File>>(std::move(volumes));
  return file;
}

File File::open_single(const std::string& path) {
  // Examine the path before opening it: opening a pipe waits for its writer, and opening a device may make it
  // act.
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    throw Error(S_ISDIR(status.st_mode) ? "is a folder, not a file" : "is not a regular file", at(path));
  }
  return open_file(path, O_RDONLY, "cannot open");
}

File File::open_stream(const std::string& path) {
  if (is_remote(path)) return open_read(path);
  // Without O_NONBLOCK, open() would wait for the writer of a pipe, and no signal could end that wait. read()
  // waits instead.
  File file = open_file(path, O_RDONLY | O_NONBLOCK, "cannot open");
  if (S_ISDIR(status_of(file).st_mode)) throw Error("is a folder, not a file", at(path));
  if (file.is_regular()) return open_read(path);
  return file;
}

File File::create(const std::string& path) {
  return open_file(path, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW, "cannot create");
}

File File::open_update(const std::string& path) {
  return open_file(path, O_RDWR | O_CREAT | O_NOFOLLOW, "cannot open for writing");
}

File File::standard_input() {
  return duplicate_of(STDIN_FILENO, "cannot read standard input", "-");
}

File File::standard_output() {
  const int flags = ::fcntl(STDOUT_FILENO, F_GETFL);
  if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY) errno = EBADF;
  if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
    throw system_error("cannot write to standard output", "-");
  return duplicate_of(STDOUT_FILENO, "cannot write to standard output", "-");
}

File File::duplicate() const {
  File copy = remote_ ? File(remote_) : duplicate_of(descriptor_, "cannot open again", path_);
  copy.volumes_ = volumes_;
  copy.position_ = position_;
  return copy;
}

bool File::is_regular() const {
  if (remote_) return true;
  return S_ISREG(status_of(*this).st_mode);
}

const std::vector<File>& File::volumes() const noexcept {
  static const std::vector<File> none;
  return volumes_ ? *volumes_ : none;
}

std::uint64_t File::size() const {
  if (remote_) return remote_->size();
  if (volumes_) {
    std::uint64_t sum = 0;
    for (const File& volume : *volumes_) sum += volume.size();
    return sum;
  }
  return static_cast<std::uint64_t>(status_of(*this).st_size);
}

std::size_t File::read(std::span<std::byte> out) {
  if (volumes_ || remote_) {
    const std::size_t got = read_at(out, position_);
    position_ += got;
    return got;
  }
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t got = read_some(descriptor_, out.subspan(done));
    if (got < 0) throw system_error("cannot read", path_);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::size_t File::read_at(std::span<std::byte> out, std::uint64_t offset) const {
  if (remote_) return remote_->read_at(out, offset);
  std::size_t done = 0;
  for (const File& volume : volumes()) {
    const std::uint64_t bytes = volume.size();
    if (offset >= bytes) {
      offset -= bytes;
      continue;
    }
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(out.size() - done, bytes - offset));
    // A volume that became shorter must not let the next one follow too early.
    const std::size_t got = volume.read_at(out.subspan(done, wanted), offset);
    done += got;
    if (got < wanted || done == out.size()) return done;
    offset = 0;
  }
  if (volumes_) return done;
  while (done < out.size()) {
    const ssize_t got = retry([&] {
      return ::pread(descriptor_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    });
    if (got < 0) throw system_error("cannot read", path_);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

void File::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(descriptor_, bytes.data(), bytes.size());
    if (put < static_cast<ssize_t>(bytes.size()) && (put >= 0 || errno == EINTR)) check_stop_at(*this);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0 && errno == EPIPE) throw BrokenPipe("cannot write: its reader is gone", at(path_));
    if (put < 0) throw system_error("cannot write", path_);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

void File::write_at(std::span<const std::byte> bytes, std::uint64_t offset) const {
  while (!bytes.empty()) {
    const ssize_t put =
        retry([&] { return ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset)); });
    if (put < 0) throw system_error("cannot write", path_);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
    offset += static_cast<std::uint64_t>(put);
  }
}

void File::seek(std::uint64_t offset) {
  if (volumes_ || remote_) {
    position_ = offset;
    return;
  }
  if (::lseek(descriptor_, static_cast<off_t>(offset), SEEK_SET) < 0)
    throw system_error("cannot seek", path_);
}

void File::truncate(std::uint64_t size) const {
  if (retry([&] { return ::ftruncate(descriptor_, static_cast<off_t>(size)); }) != 0) {
    throw system_error("cannot truncate", path_);
  }
}

void File::sync() const {
  if (retry([&] { return ::fsync(descriptor_); }) != 0) throw system_error("cannot sync", path_);
}

void File::start_writeback(std::uint64_t offset, std::uint64_t bytes) const noexcept {
  // This is only a hint: if the filesystem cannot do it, the sync takes longer.
  ::sync_file_range(descriptor_, static_cast<off64_t>(offset), static_cast<off64_t>(bytes),
                    SYNC_FILE_RANGE_WRITE);
}

void File::close() {
  remote_.reset();
  if (!is_open()) return;
  volumes_.reset();
  // Never retried: Linux closes the descriptor even if close() is interrupted or fails.
  if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR)
    throw system_error("cannot close", path_);
}

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
  File handle = open_file(path, O_RDONLY | O_DIRECTORY, "cannot open the folder");
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

std::string read_text(const std::string& path, std::uint64_t limit_bytes) {
  File file = File::open_read(path);
  std::string text;
  constexpr std::size_t kStep = 1 << 16;
  for (;;) {
    const std::size_t before = text.size();
    text.resize(before + kStep);
    const std::size_t got = file.read(std::as_writable_bytes(std::span(text).subspan(before)));
    text.resize(before + got);
    if (got < kStep) return text;
    if (text.size() > limit_bytes) {
      throw Error(fmt::format("is larger than {} bytes", limit_bytes), at(path));
    }
  }
}

std::span<const std::byte> as_bytes(std::string_view text) noexcept {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace shardmill::base
