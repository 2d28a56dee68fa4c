#include "base/io/writer_lock.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <thread>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "base/remote/url.hpp"

namespace shardmill::base {

namespace {

constexpr std::size_t kHolderBytes = 1000;
constexpr int kRaces = 1000;

/// The previous writer removes the folder at its end: it may vanish at any moment, even while we make it.
File open_lock_file(const std::string& path, NewFolders& folders) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  for (int race = 0;; ++race) {
    std::optional<Error> failure;
    try {
      if (!folder.empty()) folders.make(folder);
    } catch (const Error& error) {
      failure = error;
    }
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor >= 0) return {descriptor, path};
    if (errno == EINTR || (errno == ENOENT && race < kRaces)) continue;
    if (failure) throw *failure;
    throw system_error("cannot create the lock file", path);
  }
}

/// These locks belong to the open file, not to the process. So they work between threads, and on NFS between
/// hosts.
int lock_open_file(int descriptor) {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  const int result = ::fcntl(descriptor, F_OFD_SETLK, &whole);
  // EINVAL: the kernel or the filesystem does not know these locks.
  return result == 0 || errno != EINVAL ? result : ::flock(descriptor, LOCK_EX | LOCK_NB);
}

bool try_lock(const File& file) {
  for (;;) {
    if (lock_open_file(file.descriptor()) == 0) return true;
    if (errno == EAGAIN || errno == EACCES) return false;
    if (errno != EINTR) break;
  }
  throw Error(fmt::format("cannot lock: {}", std::strerror(errno)), at(file.path()),
              "does this filesystem support locks? write to another one");
}

/// Locks the folder of the lock file, too. The result is not open if the filesystem cannot lock folders
/// (NFS); nullopt if another process has locked it.
std::optional<File> lock_folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const int descriptor =
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0 && errno == ENOENT) return File();  // the caller tries again
  if (descriptor < 0) throw system_error("cannot open the folder of the lock", folder);
  File file(descriptor, folder.empty() ? "." : folder);
  // Several tries, because is_folder_taken() locks the folder for a moment.
  constexpr std::chrono::milliseconds kPause(2);
  for (int tries = 5; tries > 0; --tries) {
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return file;
    if (errno != EWOULDBLOCK) return File();
    std::this_thread::sleep_for(kPause);
  }
  return std::nullopt;
}

bool is_still_at_its_path(const File& file) {
  struct stat opened {};
  struct stat named {};
  if (::fstat(file.descriptor(), &opened) != 0) throw system_error("cannot examine", file.path());
  if (::lstat(file.path().c_str(), &named) != 0) return false;
  return opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

std::string description(std::string_view command) {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '?';
  const std::time_t now = std::time(nullptr);
  std::string text = fmt::format("host {}, pid {}, since {:%Y-%m-%dT%H:%M:%SZ}: {}", host.data(), ::getpid(),
                                 fmt::gmtime(now), printable(command));
  text.resize(std::min(text.size(), kHolderBytes));
  return text;
}

std::string holder_in(const File& file) {
  std::string text(kHolderBytes, '\0');
  text.resize(file.read_at(std::as_writable_bytes(std::span(text)), 0));
  if (const auto end = text.find('\n'); end != std::string::npos) text.resize(end);
  return text.empty() ? "a process that has just started" : printable(text);
}

/// In a bucket the lock is a file with two lines: the name of its run, and who runs it. A run that was killed
/// leaves it there.
std::optional<std::string> holder_in_bucket(const std::string& path) {
  if (!exists(path)) return std::nullopt;
  const std::string text = read_text(path, kHolderBytes);
  const auto begin = text.find('\n') + 1;  // npos + 1 is 0
  return printable(std::string_view(text).substr(begin, text.find('\n', begin) - begin)) +
         ", if it was not killed";
}

}  // namespace

WriterLock::Attempt WriterLock::attempt(const std::string& path, std::string_view command) {
  NewFolders folders;
  for (;;) {
    File file = open_lock_file(path, folders);
    if (!try_lock(file)) return {.lock = std::nullopt, .holder = holder_in(file)};
    // The previous writer removes the file at its end, and another process may already hold a new one.
    if (!is_still_at_its_path(file)) continue;
    auto folder = lock_folder_of(path);
    if (!folder) {
      // If we left our file there, it would look like the file of the process at work.
      ::unlink(path.c_str());
      return {.lock = std::nullopt, .holder = "a process whose lock file was deleted"};
    }
    if (!is_still_at_its_path(file) || (folder->is_open() && !is_still_at_its_path(*folder))) continue;
    // Cut last: at any moment, even after a crash, the file must name its owner.
    const std::string holder = description(command) + "\n";
    file.write_at(as_bytes(holder), 0);
    file.truncate(holder.size());
    return {.lock = WriterLock(std::move(file), std::move(*folder), std::move(folders)), .holder = {}};
  }
}

WriterLock WriterLock::acquire(const std::string& path, std::string_view command) {
  Attempt result = attempt(path, command);
  if (!result.lock) throw Error("another run is at work here: " + result.holder, at(path));
  return std::move(*result.lock);
}

WriterLock WriterLock::wait(const std::string& path, std::string_view command,
                            const std::function<void(const std::string& holder)>& before_sleep,
                            std::chrono::milliseconds interval) {
  for (;;) {
    Attempt result = attempt(path, command);
    if (result.lock) return std::move(*result.lock);
    before_sleep(result.holder);
    std::this_thread::sleep_for(interval);
  }
}

std::optional<std::string> WriterLock::holder(const std::string& path) {
  if (is_remote(path)) return holder_in_bucket(path);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  const File file(descriptor, path);
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (::fcntl(descriptor, F_OFD_GETLK, &whole) != 0 || whole.l_type == F_UNLCK) return std::nullopt;
  return holder_in(file);
}

bool WriterLock::is_folder_taken(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) return false;
  const File file(descriptor, folder);
  return ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

void WriterLock::check_held() const {
  // While we hold the lock on the folder, no other run can have started, even if the file is gone.
  if (is_still_at_its_path(folder_.is_open() ? folder_ : file_)) return;
  throw Error("the lock file was deleted while this run was at work: another run may be at work here now",
              at(file_.path()), "nothing was published; leave the file alone and run the same command again");
}

void WriterLock::release() noexcept {
  if (!file_.is_open()) return;
  try {
    check_held();
  } catch (const std::exception&) {
    file_ = File();  // the file that is there now belongs to another run
    folder_ = File();
    return;
  }
  // Release the folder first: a process that finds the file gone can then get both locks.
  folder_ = File();
  // Remove the file while it is still locked: the next process to lock it finds it gone and starts over. If
  // this fails, the file that stays is harmless.
  ::unlink(file_.path().c_str());
  const auto slash = file_.path().rfind('/');
  if (slash != std::string::npos && slash > 0) ::rmdir(file_.path().substr(0, slash).c_str());
  folders_.remove_empty();
  file_ = File();
}

}  // namespace shardmill::base
