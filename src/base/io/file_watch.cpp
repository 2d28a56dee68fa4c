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
std::int64_t remote_stamp(const std::string& version) {
  return static_cast<std::int64_t>(quick_hash(as_bytes(version)) >> 1);
}

}  // namespace

FileWatch::FileWatch(const File& file) : remote_(file.remote()) {
  if (remote_) return;
  const auto add = [&](const File& each) {
    Watched& watched = files_.emplace_back();
    watched.path = each.path();
    if (::fstat(each.descriptor(), &watched.opened) != 0) throw system_error("cannot examine", each.path());
    if (each.path() == "-") watched.opened.st_mode = 0;  // standard input has no path to examine again
    bytes_ += static_cast<std::uint64_t>(watched.opened.st_size);
  };
  for (const File& volume : file.volumes()) add(volume);
  if (files_.empty()) add(file);
}

std::int64_t FileWatch::mtime_ns() const noexcept {
  if (remote_) return remote_stamp(remote_->version());
  if (files_.size() == 1) return nanoseconds(files_.front().opened);
  std::uint64_t mixed = files_.size();
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;  // any large odd number
  for (const Watched& each : files_) {
    for (const std::int64_t number :
         {nanoseconds(each.opened), static_cast<std::int64_t>(each.opened.st_size)})
      mixed = (mixed ^ static_cast<std::uint64_t>(number)) * kFactor;
    mixed ^= mixed >> 32;
  }
  return static_cast<std::int64_t>(mixed >> 1);
}

std::optional<FileWatch::Facts> FileWatch::of_listed(const std::string& path) {
  const auto entry = listed_remote_entry(path);
  if (!entry || entry->kind != RemoteEntry::Kind::file || entry->version.empty()) return std::nullopt;
  return Facts{.bytes = entry->bytes, .mtime_ns = remote_stamp(entry->version)};
}

void FileWatch::expect(std::uint64_t bytes, std::int64_t mtime_ns) const {
  if (!remote_ && !S_ISREG(files_.front().opened.st_mode)) return;
  const std::uint64_t size = remote_ ? remote_->size() : bytes_;
  if (size == bytes && this->mtime_ns() == mtime_ns) return;
  const std::string& path = remote_ ? remote_->shown() : files_.front().path;
  throw FatalError(Error("changed after this run first examined it", at(path), kAdvice));
}

void FileWatch::check() const {
  if (remote_) return remote_->check_unchanged();
  for (const Watched& each : files_) {
    if (!S_ISREG(each.opened.st_mode)) continue;
    struct stat now {};
    if (::stat(each.path.c_str(), &now) != 0) {
      throw FatalError(Error("was moved or removed while it was read", at(each.path), kAdvice));
    }
    if (!is_same(each.opened, now))
      throw FatalError(Error("changed while it was read", at(each.path), kAdvice));
  }
}

}  // namespace shardmill::base
