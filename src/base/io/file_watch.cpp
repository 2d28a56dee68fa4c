#include "base/io/file_watch.hpp"

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "base/remote/object.hpp"

namespace shardmill::base {

namespace {

constexpr const char* kAdvice = "run again when no other program writes it";

std::int64_t nanoseconds(const struct stat& status) {
  constexpr std::int64_t kPerSecond = 1'000'000'000;
  return status.st_mtim.tv_sec * kPerSecond + status.st_mtim.tv_nsec;
}

bool is_same(const struct stat& one, const struct stat& two) {
  return one.st_dev == two.st_dev && one.st_ino == two.st_ino && one.st_size == two.st_size &&
         nanoseconds(one) == nanoseconds(two);
}

/// Positive, as times are; half of the bits of a hash are enough to notice a change.
std::int64_t remote_stamp(const RemoteObject& object) {
  return static_cast<std::int64_t>(quick_hash(as_bytes(object.version())) >> 1);
}

}  // namespace

FileWatch::FileWatch(const File& file) : path_(file.path()), remote_(file.remote()) {
  if (remote_) return;
  if (::fstat(file.descriptor(), &opened_) != 0) throw system_error("cannot examine", path_);
  if (path_ == "-") opened_.st_mode = 0;  // standard input has no path to examine again
}

std::int64_t FileWatch::mtime_ns() const noexcept {
  return remote_ ? remote_stamp(*remote_) : nanoseconds(opened_);
}

void FileWatch::expect(std::uint64_t bytes, std::int64_t mtime_ns) const {
  if (!remote_ && !S_ISREG(opened_.st_mode)) return;
  const std::uint64_t size = remote_ ? remote_->size() : static_cast<std::uint64_t>(opened_.st_size);
  if (size == bytes && this->mtime_ns() == mtime_ns) return;
  throw FatalError(Error("changed after this run first examined it", at(path_), kAdvice));
}

void FileWatch::check() const {
  if (remote_) return remote_->check_unchanged();
  if (!S_ISREG(opened_.st_mode)) return;
  struct stat now {};
  if (::stat(path_.c_str(), &now) != 0) {
    throw FatalError(Error("was moved or removed while it was read", at(path_), kAdvice));
  }
  if (!is_same(opened_, now)) throw FatalError(Error("changed while it was read", at(path_), kAdvice));
}

}  // namespace shardmill::base
