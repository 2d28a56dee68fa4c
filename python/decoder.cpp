#include "decoder.hpp"

#include <unistd.h>

#include <utility>

namespace shardmill::python {

namespace {

// More wait where one sample alone is larger.
constexpr std::uint64_t kMostWaitingBytes = std::uint64_t{16} << 20;

std::uint64_t bytes_of(const Sample& sample) {
  std::uint64_t sum = sample.key.size();
  for (const Member& member : sample.members) sum += member.bytes.size();
  return sum;
}

}  // namespace

Decoder::Decoder(std::string path, ReadOptions options, Losses& losses)
    : path_(std::move(path)), options_(options), losses_(losses) {}

Decoder::~Decoder() {
  if (process_ == 0) return;
  if (process_ != ::getpid()) {
    // It was forked. The thread of the other process may be waiting, for ever: the event cannot be
    // destroyed.
    static_cast<void>(queue_.release());
    return;
  }
  {
    const std::lock_guard lock(queue_->mutex);
    queue_->is_stopped = true;
  }
  queue_->changed.notify_all();
  queue_->thread.join();
}

std::optional<Sample> Decoder::next() {
  if (process_ == 0) {
    queue_->thread = std::thread([this] { decode(); });
    process_ = ::getpid();
  }
  std::unique_lock lock(queue_->mutex);
  queue_->changed.wait(lock, [this] { return queue_->is_done || !queue_->waiting.empty(); });
  if (queue_->waiting.empty()) {
    if (queue_->failure) std::rethrow_exception(std::exchange(queue_->failure, nullptr));
    return std::nullopt;
  }
  Sample sample = std::move(queue_->waiting.front());
  queue_->waiting.pop_front();
  queue_->waiting_bytes -= bytes_of(sample);
  lock.unlock();
  queue_->changed.notify_all();
  return sample;
}

void Decoder::decode() {
  std::exception_ptr failure;
  try {
    read_shard(
        path_, options_, [this](Sample&& sample) { return put(std::move(sample)); }, losses_);
  } catch (...) {
    failure = std::current_exception();
  }
  {
    const std::lock_guard lock(queue_->mutex);
    queue_->failure = failure;
    queue_->is_done = true;
  }
  queue_->changed.notify_all();
}

bool Decoder::put(Sample&& sample) {
  const std::uint64_t bytes = bytes_of(sample);
  std::unique_lock lock(queue_->mutex);
  queue_->changed.wait(lock, [&] {
    return queue_->is_stopped || queue_->waiting.empty() ||
           queue_->waiting_bytes + bytes <= kMostWaitingBytes;
  });
  if (queue_->is_stopped) return false;
  queue_->waiting.push_back(std::move(sample));
  queue_->waiting_bytes += bytes;
  losses_.sample_read();
  lock.unlock();
  queue_->changed.notify_all();
  return true;
}

}  // namespace shardmill::python
