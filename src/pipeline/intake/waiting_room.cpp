#include "pipeline/intake/waiting_room.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/hash/md5.hpp"

namespace shardmill::pipeline {

namespace {

constexpr std::uint64_t kMemoryBytes = std::uint64_t{64} << 20;

}  // namespace

void WaitingRoom::put(std::string awaited, WaitingAudio audio) {
  const std::uint64_t number = next_number_++;
  by_awaited_[awaited].push_back(number);
  Entry entry{.audio = std::move(audio), .awaited = std::move(awaited)};
  entry.bytes = entry.audio.bytes.size();
  if (bytes_in_memory_ + entry.bytes > kMemoryBytes) {
    write(entry);
  } else {
    bytes_in_memory_ += entry.bytes;
  }
  waiting_.emplace(number, std::move(entry));
}

void WaitingRoom::write(Entry& entry) {
  if (!scratch_.is_open()) scratch_ = space_->file();
  space_->take(entry.bytes);
  scratch_.write_at(entry.audio.bytes, bytes_in_scratch_);
  entry.scratch_offset = bytes_in_scratch_;
  bytes_in_scratch_ += entry.bytes;
  entry.audio.bytes = {};
}

void WaitingRoom::call(const std::string& awaited) {
  const auto found = by_awaited_.find(awaited);
  if (found == by_awaited_.end()) return;
  for (const std::uint64_t number : found->second) called_.insert(number);
  by_awaited_.erase(found);
}

void WaitingRoom::call_all() {
  by_awaited_.clear();
  for (const auto& [number, entry] : waiting_) called_.insert(number);
}

std::optional<WaitingAudio> WaitingRoom::next(
    const std::function<bool(const std::string& path)>& has_answer) {
  while (!called_.empty()) {
    const std::uint64_t number = *called_.begin();
    called_.erase(called_.begin());
    const Entry& entry = waiting_.at(number);
    if (has_answer(entry.audio.path)) return take(number);
    by_awaited_[entry.awaited].push_back(number);
  }
  return std::nullopt;
}

std::optional<WaitingAudio> WaitingRoom::take(std::uint64_t number) {
  const auto found = waiting_.find(number);
  Entry entry = std::move(found->second);
  waiting_.erase(found);
  if (!entry.scratch_offset) {
    bytes_in_memory_ -= entry.bytes;
    return std::move(entry.audio);
  }
  entry.audio.bytes.resize(entry.bytes);
  if (scratch_.read_at(entry.audio.bytes, *entry.scratch_offset) != entry.bytes)
    throw Error("became shorter while it was used", at(scratch_.path()));
  if (waiting_.empty()) {
    scratch_.truncate(0);
    space_->give_back(std::exchange(bytes_in_scratch_, 0));
  }
  return std::move(entry.audio);
}

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
