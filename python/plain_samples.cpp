#include "plain_samples.hpp"

#include <cstdlib>
#include <utility>

#include "sample_object.hpp"

namespace shardmill::python {

namespace {

// Enough that Python's lock is seldom let go.
constexpr std::uint64_t kBytesAtATime = std::uint64_t{256} << 10;
constexpr std::size_t kSamplesAtATime = 64;

/// Python frees the bytes of a sample about when the next ones are made. glibc gives memory to the system and
/// takes it again each time, and the system clears it: a quarter of all work. It keeps twice as much as the
/// largest block that it once got by itself from the system and that was freed, so one is. Others ignore
/// this.
void keep_freed_memory() {
  // More would be kept, too, of each thread that decodes.
  constexpr std::size_t kLargestBytes = std::size_t{2} << 20;
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
};

std::vector<std::vector<Unfilled>> room_for(const std::vector<SamplePlace>& places) {
  std::vector<std::vector<Unfilled>> room;
  for (const SamplePlace& sample : places) {
    std::vector<Unfilled>& members = room.emplace_back();
    for (const MemberPlace& member : sample.members) {
      const auto size = static_cast<Py_ssize_t>(member.bytes);
      members.push_back({member, Object::from(PyBytes_FromStringAndSize(nullptr, size))});
    }
  }
  return room;
}

void fill(const PlainShard& shard, const std::vector<Unfilled>& members) {
  for (const auto& [place, bytes] : members) {
    char* data = nullptr;
    Py_ssize_t size = 0;
    check(PyBytes_AsStringAndSize(bytes.get(), &data, &size));  // touches nothing that needs the lock
    shard.read(place, {reinterpret_cast<std::byte*>(data), static_cast<std::size_t>(size)});
  }
}

}  // namespace

PlainSamples::PlainSamples(const std::string& path, const ReadOptions& options, Losses& losses)
    : shard_(path, options, losses), losses_(losses) {
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
    for (std::uint64_t bytes = 0; bytes < kBytesAtATime && places.size() < kSamplesAtATime;) {
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
  const std::vector<std::vector<Unfilled>> room = room_for(places);
  std::size_t filled = 0;
  {
    const WithoutLock unlocked;
    try {
      for (; filled < room.size(); ++filled) fill(shard_, room[filled]);
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
  for (std::size_t i = 0; i < filled; ++i) {
    SampleObject sample(places[i].key);
    for (const auto& [place, bytes] : room[i]) sample.add(place.extension, bytes);
    ready_.push_back(sample.take());
  }
}

}  // namespace shardmill::python
