#include "plain_samples.hpp"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <system_error>
#include <thread>
#include <utility>

#include "sample_object.hpp"

namespace shardmill::python {

namespace {

// At first few, so that the first sample comes soon; then enough that half of it is worth a thread.
constexpr std::uint64_t kFewBytes = std::uint64_t{256} << 10;
constexpr std::uint64_t kMostBytes = std::uint64_t{8} << 20;
constexpr std::uint64_t kWorthAThread = std::uint64_t{1} << 20;
constexpr std::size_t kSamplesAtATime = 64;

/// Python frees the bytes of a sample about when the next ones are made. glibc gives memory to the system and
/// takes it again each time, and the system clears it: a quarter of all work. It keeps twice as much as the
/// largest block that it once got by itself from the system and that was freed, so one is. Others ignore
/// this.
void keep_freed_memory() {
  // Twice as much stays with each thread that decodes, too.
  constexpr std::size_t kLargestBytes = std::size_t{8} << 20;
  static const bool is_done = [] {
    void* volatile block = std::malloc(kLargestBytes);  // never touched; volatile: not optimized away
    std::free(block);
    return true;
  }();
  static_cast<void>(is_done);
}

/// A member whose bytes object is there and not yet filled.
struct Unfilled {
  const MemberPlace& place;
  Object bytes;
  std::span<std::byte> room;
};
using Room = std::vector<std::vector<Unfilled>>;

Room room_for(const std::vector<SamplePlace>& places) {
  Room room;
  for (const SamplePlace& sample : places) {
    std::vector<Unfilled>& members = room.emplace_back();
    for (const MemberPlace& member : sample.members) {
      auto bytes = Object::from(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(member.bytes)));
      char* data = nullptr;
      Py_ssize_t size = 0;
      check(PyBytes_AsStringAndSize(bytes.get(), &data, &size));
      const std::span<std::byte> inside(reinterpret_cast<std::byte*>(data), static_cast<std::size_t>(size));
      members.push_back({member, std::move(bytes), inside});
    }
  }
  return room;
}

/// How far samples were filled, and what stopped it.
struct Filled {
  std::size_t end = 0;
  std::exception_ptr failure{};
};

Filled fill(const PlainShard& shard, const Room& room, std::size_t begin, std::size_t end) {
  Filled filled{.end = begin};
  try {
    for (; filled.end < end; ++filled.end) {
      for (const Unfilled& member : room[filled.end]) shard.read(member.place, member.room);
    }
  } catch (...) {
    filled.failure = std::current_exception();
  }
  return filled;
}

/// The first sample behind half of all bytes; the end where they are too few for two threads.
std::size_t middle_of(const Room& room) {
  const auto bytes_of = [](const std::vector<Unfilled>& members) {
    std::uint64_t bytes = 0;
    for (const Unfilled& member : members) bytes += member.room.size();
    return bytes;
  };
  std::uint64_t all = 0;
  for (const auto& members : room) all += bytes_of(members);
  if (all < kWorthAThread) return room.size();
  std::size_t middle = 0;
  for (std::uint64_t before = 0; middle < room.size() && before < all / 2; ++middle)
    before += bytes_of(room[middle]);
  return middle;
}

/// To copy from the system's memory is nearly all work. Two threads take 0.11 s for 1.05 GB, one takes 0.15
/// s.
Filled fill_with_two_threads(const PlainShard& shard, const Room& room) {
  const std::size_t middle = middle_of(room);
  if (middle == room.size()) return fill(shard, room, 0, middle);
  Filled behind;
  std::thread other;
  try {
    other = std::thread([&] { behind = fill(shard, room, middle, room.size()); });
  } catch (const std::system_error&) {
    return fill(shard, room, 0, room.size());  // no thread can be started
  }
  const Filled before = fill(shard, room, 0, middle);
  other.join();
  return before.failure ? before : behind;
}

}  // namespace

PlainSamples::PlainSamples(const std::string& path, const ReadOptions& options, Losses& losses)
    : shard_(path, options, losses),
      losses_(losses),
      bytes_at_a_time_(kFewBytes),
      has_two_threads_(options.limits.threads != 1 && std::thread::hardware_concurrency() > 1) {
  keep_freed_memory();
}

Object PlainSamples::next() {
  if (ready_.empty() && !is_at_end_ && !failure_) read_some();
  if (!ready_.empty()) {
    Object sample = std::move(ready_.front());
    ready_.pop_front();
    return sample;
  }
  if (failure_) {
    is_at_end_ = true;
    std::rethrow_exception(std::exchange(failure_, nullptr));
  }
  return {};
}

std::vector<SamplePlace> PlainSamples::find_some() {
  std::vector<SamplePlace> places;
  try {
    for (std::uint64_t bytes = 0; bytes < bytes_at_a_time_ && places.size() < kSamplesAtATime;) {
      auto sample = shard_.next();
      if (!sample) {
        is_at_end_ = true;
        break;
      }
      for (const MemberPlace& member : sample->members) bytes += member.bytes;
      places.push_back(std::move(*sample));
      losses_.sample_read();
    }
  } catch (...) {
    failure_ = std::current_exception();
  }
  return places;
}

void PlainSamples::read_some() {
  const std::vector<SamplePlace> places = [&] {
    const WithoutLock unlocked;
    return find_some();
  }();
  bytes_at_a_time_ = std::min(2 * bytes_at_a_time_, kMostBytes);
  const Room room = room_for(places);
  const Filled filled = [&] {
    const WithoutLock unlocked;
    return has_two_threads_ ? fill_with_two_threads(shard_, room) : fill(shard_, room, 0, room.size());
  }();
  if (filled.failure) failure_ = filled.failure;
  for (std::size_t i = 0; i < filled.end; ++i) {
    SampleObject sample(places[i].key);
    for (const Unfilled& member : room[i]) sample.add(member.place.extension, member.bytes);
    ready_.push_back(sample.take());
  }
}

}  // namespace shardmill::python
