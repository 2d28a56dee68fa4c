#include "base/io/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

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

File memory_file(std::span<const std::byte> bytes, const std::string& name) {
  const int descriptor = ::memfd_create("shardmill", MFD_CLOEXEC);
  if (descriptor < 0) throw system_error("cannot get memory for", name);
  File file(descriptor, name);
  file.write(bytes);
  file.seek(0);
  return file;
}

File scratch_file(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor < 0) throw system_error("cannot create a scratch file in", folder);
  return File(descriptor, folder + "/(scratch)");
}

std::string scratch_folder() {
  const char* const folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/var/tmp";
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
