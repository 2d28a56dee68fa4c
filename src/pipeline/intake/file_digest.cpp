#include "pipeline/intake/file_digest.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/hash/md5.hpp"

namespace shardmill::pipeline {

FileDigest::FileDigest(base::File file) : file_(std::move(file)), size_(file_.size()) {
  thread_ = std::thread([this] { run(); });
}

FileDigest::~FileDigest() {
  {
    const std::lock_guard lock(mutex_);
    is_given_up_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void FileDigest::advance(std::uint64_t offset) {
  {
    const std::lock_guard lock(mutex_);
    allowed_ = std::max(allowed_, offset);
  }
  changed_.notify_one();
}

std::string FileDigest::finish() {
  advance(size_);
  thread_.join();
  if (failure_) std::rethrow_exception(failure_);
  return result_;
}

void FileDigest::run() try {
  constexpr std::size_t kStepBytes = std::size_t{1} << 20;
  std::vector<std::byte> buffer(kStepBytes);
  base::Md5 md5;
  std::vector<base::Md5> volume_md5s(file_.volumes().size());
  std::size_t volume = 0;
  std::uint64_t volume_end = volume_md5s.empty() ? size_ : file_.volumes().front().size();
  for (std::uint64_t done = 0; done < size_;) {
    while (done == volume_end) volume_end += file_.volumes()[++volume].size();
    std::uint64_t allowed = 0;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return is_given_up_ || allowed_ > done; });
      if (is_given_up_) return;
      allowed = allowed_;
    }
    const std::uint64_t limit = std::min(allowed, volume_end);
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(kStepBytes, limit - done));
    const auto bytes = std::span(buffer).first(wanted);
    if (file_.read_at(bytes, done) != wanted)
      throw Error("became shorter while it was read", at(file_.path()));
    md5.update(bytes);
    if (!volume_md5s.empty()) volume_md5s[volume].update(bytes);
    done += wanted;
  }
  for (base::Md5& each : volume_md5s) of_volumes_.push_back(each.finish());
  result_ = md5.finish();
} catch (...) {
  failure_ = std::current_exception();
}

}  // namespace shardmill::pipeline
