#include "base/io/file_watch.hpp"

#include "base/error.hpp"

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

}  // namespace

FileWatch::FileWatch(const File& file) : path_(file.path()) {
  if (::fstat(file.descriptor(), &opened_) != 0) throw system_error("cannot examine", path_);
  if (path_ == "-") opened_.st_mode = 0;  // standard input has no path to examine again
}

std::int64_t FileWatch::mtime_ns() const noexcept {
  return nanoseconds(opened_);
}

void FileWatch::expect(std::uint64_t bytes, std::int64_t mtime_ns) const {
  if (!S_ISREG(opened_.st_mode)) return;
  if (static_cast<std::uint64_t>(opened_.st_size) == bytes && nanoseconds(opened_) == mtime_ns) return;
  throw FatalError(Error("changed after this run first examined it", at(path_), kAdvice));
}

void FileWatch::check() const {
  if (!S_ISREG(opened_.st_mode)) return;
  struct stat now {};
  if (::stat(path_.c_str(), &now) != 0) {
    throw FatalError(Error("was moved or removed while it was read", at(path_), kAdvice));
  }
  if (!is_same(opened_, now)) throw FatalError(Error("changed while it was read", at(path_), kAdvice));
}

}  // namespace shardmill::base
