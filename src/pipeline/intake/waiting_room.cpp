#include "pipeline/intake/waiting_room.hpp"

#include <utility>

#include "base/error.hpp"

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

}  // namespace shardmill::pipeline
