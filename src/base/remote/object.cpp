#include "base/remote/object.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/hash/md5.hpp"
#include "base/remote/access.hpp"
#include "base/remote/object_facts.hpp"
#include "base/remote/range_memory.hpp"
#include "base/remote/range_request.hpp"
#include "base/remote/url.hpp"
#include "base/text/units.hpp"

namespace shardmill::base {

namespace {

constexpr std::uint64_t kSmallBytes = RangeMemory::kSmall;  // for a reader that jumps, or only looks
constexpr std::uint64_t kListedBytes = 8 * 1024 * 1024;     // of an object that a list describes well enough

/// Bytes from `begin` to `end`, which are there or on their way.
struct Range {
  enum class State { waiting, there, failed };

  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t budgeted_bytes = 0;
  bool is_read_on = false;  // more is wanted after it
  State state = State::waiting;
  std::vector<std::byte> bytes{};
  std::exception_ptr failure{};
  std::uint64_t last_use = 0;

  Range(std::uint64_t from, std::uint64_t to) : begin(from), end(to) {}
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
  ~Range() {
    if (budgeted_bytes > 0) RangeMemory::of_process().give_back(budgeted_bytes, std::move(bytes));
  }
};

class ObjectByRanges final : public RemoteObject {
 public:
  /// `asks_for_md5`: the answers with its bytes may say it.
  ObjectByRanges(std::string address, ObjectFacts facts, bool asks_for_md5 = false)
      : address_(std::move(address)), facts_(std::move(facts)), asks_for_md5_(asks_for_md5) {
    shown_ = shown_address(address_);
    size_ = facts_.bytes;
    version_ = facts_.version();
    if (facts_.begin.empty()) return;
    const auto known = std::make_shared<Range>(0, facts_.begin.size());
    known->bytes = std::move(facts_.begin);
    known->state = Range::State::there;
    ranges_.push_back(known);
  }
  ObjectByRanges(const ObjectByRanges&) = delete;
  ObjectByRanges& operator=(const ObjectByRanges&) = delete;
  ~ObjectByRanges() override {
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
    }
    changed_.notify_all();
    if (is_read_on_) RangeMemory::of_process().remove_reader();
  }

  std::size_t read_at(std::span<std::byte> out, std::uint64_t offset) const override;
  void check_unchanged() const override;

 private:
  using Lock = std::unique_lock<std::mutex>;

  std::vector<std::byte> fetched(std::uint64_t begin, std::uint64_t end, const std::stop_token& stop) const;
  void fetch(Range& range, const std::stop_token& stop) const;
  std::shared_ptr<Range> range_at(std::uint64_t offset, Lock& lock) const;
  std::shared_ptr<Range> find(std::uint64_t offset) const;
  std::shared_ptr<Range> new_range(std::uint64_t begin, std::uint64_t bytes, bool is_read_on) const;
  std::shared_ptr<Range> next_range(std::uint64_t offset) const;
  void read_ahead(std::uint64_t from) const;
  bool has_worker() const;
  bool forget_oldest() const;
  void forget_before(std::uint64_t offset) const;
  void digest(Lock& lock) const;
  void check_digest() const;
  void work(const std::stop_token& stop) const;

  std::string address_;
  mutable ObjectFacts facts_;
  bool asks_for_md5_;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable bool is_ending_ = false;
  mutable bool is_read_on_ = false;  // then it counts as a reader
  mutable std::uint64_t clock_ = 0;
  mutable std::deque<std::shared_ptr<Range>> ranges_;
  mutable std::deque<std::shared_ptr<Range>> wanted_;
  mutable Md5 digest_;  // of the bytes before digested_to_
  mutable std::uint64_t digested_to_ = 0;
  mutable bool is_digesting_ = false;
  mutable std::optional<std::string> found_md5_{};  // of the whole object
  mutable std::vector<std::jthread> workers_;       // last: they end first
};

void ObjectByRanges::check_unchanged() const {
  const ObjectFacts now = facts_of_object(address_);
  if (!facts_.may_be_same(now) || now.bytes != size_) refuse_change(shown_);
  check_digest();
}

/// Says nothing about an object that was not read from its beginning to its end.
void ObjectByRanges::check_digest() const {
  Lock lock(mutex_);
  changed_.wait(lock, [this] { return !is_digesting_; });
  digest(lock);  // the first bytes may have come before any range was fetched
  if (!facts_.md5 || digested_to_ != size_) return;
  if (!found_md5_) found_md5_ = digest_.finish();
  if (*found_md5_ == *facts_.md5) return;
  throw SpoiledSource(
      Error(fmt::format("arrived damaged: its MD5 is {}, and should be {}", *found_md5_, *facts_.md5),
            at(shown_), "run again; if it happens again, use https, and look for a proxy in between"));
}

std::vector<std::byte> ObjectByRanges::fetched(std::uint64_t begin, std::uint64_t end,
                                               const std::stop_token& stop) const {
  ReceivedRange received = request_range(address_, facts_, begin, end, stop);
  if (asks_for_md5_) {
    const std::lock_guard lock(mutex_);
    if (!facts_.md5) facts_.md5 = std::move(received.md5);
  }
  return std::move(received.bytes);
}

/// Never throws: the range keeps what went wrong.
void ObjectByRanges::fetch(Range& range, const std::stop_token& stop) const {
  std::vector<std::byte> bytes;
  std::exception_ptr failure;
  try {
    bytes = fetched(range.begin, range.end, stop);
  } catch (...) {
    failure = std::current_exception();
  }
  {
    Lock lock(mutex_);
    if (!failure && bytes.size() != range.end - range.begin) {
      range.begin = 0;
      range.end = size_;
    }
    range.bytes = std::move(bytes);
    range.failure = failure;
    range.state = failure ? Range::State::failed : Range::State::there;
    changed_.notify_all();
    digest(lock);
  }
  changed_.notify_all();
}

/// Goes on with the MD5, as far as ranges are there in their order. Unlocks `lock` meanwhile.
void ObjectByRanges::digest(Lock& lock) const {
  if (!facts_.md5 || is_digesting_) return;
  is_digesting_ = true;
  for (;;) {
    const std::shared_ptr<Range> next = find(digested_to_);
    if (!next || next->state != Range::State::there) break;
    lock.unlock();
    digest_.update(std::span(next->bytes).subspan(digested_to_ - next->begin));
    lock.lock();
    digested_to_ = next->end;
  }
  is_digesting_ = false;
}

std::shared_ptr<Range> ObjectByRanges::find(std::uint64_t offset) const {
  for (const auto& range : ranges_) {
    if (offset >= range->begin && offset < range->end) return range;
  }
  return nullptr;
}

/// Returns false if all ranges are still on their way.
bool ObjectByRanges::forget_oldest() const {
  const auto oldest = std::min_element(ranges_.begin(), ranges_.end(), [](const auto& one, const auto& two) {
    return std::pair(one->state == Range::State::waiting, one->last_use) <
           std::pair(two->state == Range::State::waiting, two->last_use);
  });
  if (oldest == ranges_.end() || (*oldest)->state == Range::State::waiting) return false;
  ranges_.erase(oldest);
  return true;
}

/// Forgets the large ranges before `offset` that are not needed for the MD5.
void ObjectByRanges::forget_before(std::uint64_t offset) const {
  const std::uint64_t needed_from = facts_.md5 && is_digesting_ ? std::min(offset, digested_to_) : offset;
  std::erase_if(ranges_, [&](const auto& range) {
    return range->state == Range::State::there && range->end <= needed_from && range->budgeted_bytes > 0;
  });
}

/// From `begin`, of `bytes` if memory allows, else a small one. `is_read_on`: more is wanted after it.
std::shared_ptr<Range> ObjectByRanges::new_range(std::uint64_t begin, std::uint64_t bytes,
                                                 bool is_read_on) const {
  constexpr std::size_t kMost = RangeMemory::kMostAhead + 4;
  while (ranges_.size() >= kMost && forget_oldest()) {
  }
  bytes = std::min(bytes, size_ - begin);
  for (const auto& other : ranges_) {
    if (other->begin > begin) bytes = std::min(bytes, other->begin - begin);
  }
  bool is_budgeted = false;
  while ((is_read_on || bytes > kSmallBytes) && !is_budgeted) {
    is_budgeted = RangeMemory::of_process().take(bytes);
    if (is_budgeted || forget_oldest()) continue;
    bytes = std::min(bytes, kSmallBytes);
    break;
  }
  auto range = std::make_shared<Range>(begin, begin + bytes);
  if (is_budgeted) range->budgeted_bytes = bytes;
  range->is_read_on = is_read_on;
  range->last_use = ++clock_;
  ranges_.push_back(range);
  return range;
}

/// False if the system lets no thread run besides those that are there: then nothing is read ahead.
bool ObjectByRanges::has_worker() const {
  if (workers_.size() >= RangeMemory::of_process().ahead()) return true;
  try {
    workers_.emplace_back([this](const std::stop_token& stop) { work(stop); });
  } catch (const std::system_error&) {
    return !workers_.empty();
  }
  return true;
}

/// Asks for the bytes after `from`, as far as memory allows.
void ObjectByRanges::read_ahead(std::uint64_t from) const {
  const std::size_t ahead = RangeMemory::of_process().ahead();
  for (std::size_t count = 0; count < ahead && from < size_; ++count) {
    if (const auto known = find(from)) {
      from = known->end;
      continue;
    }
    const std::uint64_t bytes = std::min(RangeMemory::of_process().share(), size_ - from);
    if (!has_worker() || !RangeMemory::of_process().take(bytes)) break;
    auto range = std::make_shared<Range>(from, from + bytes);
    range->budgeted_bytes = bytes;
    range->is_read_on = true;
    range->last_use = ++clock_;
    ranges_.push_back(range);
    wanted_.push_back(std::move(range));
    from += bytes;
  }
  changed_.notify_all();
}

void ObjectByRanges::work(const std::stop_token& stop) const {
  Lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return is_ending_ || !wanted_.empty(); });
    if (is_ending_) return;
    const std::shared_ptr<Range> next = std::move(wanted_.front());
    wanted_.pop_front();
    lock.unlock();
    fetch(*next, stop);
    lock.lock();
  }
}

/// Each range is larger than the one that it goes on from, up to the object's share.
std::shared_ptr<Range> ObjectByRanges::next_range(std::uint64_t offset) const {
  const auto before = offset == 0 ? nullptr : find(offset - 1);
  if (!before) return new_range(offset, kSmallBytes, false);
  RangeMemory& memory = RangeMemory::of_process();
  if (!std::exchange(is_read_on_, true)) memory.add_reader();
  const std::uint64_t share = memory.share();
  const std::uint64_t larger = std::max(4 * (before->end - before->begin), kSmallBytes);
  const std::uint64_t bytes = std::min(larger, share);
  return new_range(offset, bytes, bytes == share);
}

/// The range with the byte at `offset`, once it is there.
std::shared_ptr<Range> ObjectByRanges::range_at(std::uint64_t offset, Lock& lock) const {
  std::shared_ptr<Range> range = find(offset);
  if (!range && is_digesting_) {  // else ranges would be forgotten before they are digested
    changed_.wait(lock, [this] { return !is_digesting_; });
    range = find(offset);
  }
  if (!range) {
    range = next_range(offset);
    lock.unlock();
    fetch(*range, {});
    lock.lock();
  }
  range->last_use = ++clock_;
  if (range->is_read_on) {
    forget_before(range->begin - std::min(range->begin, kSmallBytes));
    read_ahead(range->end);
  }
  changed_.wait(lock, [&] { return range->state != Range::State::waiting; });
  if (range->state == Range::State::failed) {
    std::erase(ranges_, range);  // whoever asks again makes another attempt
    std::rethrow_exception(range->failure);
  }
  return range;
}

std::size_t ObjectByRanges::read_at(std::span<std::byte> out, std::uint64_t offset) const {
  std::size_t done = 0;
  while (done < out.size() && offset + done < size_) {
    std::shared_ptr<Range> range;
    {
      Lock lock(mutex_);
      range = range_at(offset + done, lock);
    }
    const std::uint64_t from = offset + done - range->begin;
    const std::size_t bytes = std::min<std::uint64_t>(out.size() - done, range->bytes.size() - from);
    std::memcpy(out.data() + done, range->bytes.data() + from, bytes);
    done += bytes;
  }
  return done;
}

}  // namespace

namespace {

/// Small files of listed folders, as long as anybody reads them: several checks read the same one.
class OpenObjects {
 public:
  static OpenObjects& of_process() {
    static OpenObjects objects;
    return objects;
  }

  std::shared_ptr<const RemoteObject> open(const std::string& address, const RemoteEntry& listed) {
    const std::lock_guard lock(mutex_);
    std::erase_if(objects_, [](const auto& object) { return object.second.expired(); });
    std::weak_ptr<const RemoteObject>& known = objects_[address + ' ' + listed.version];
    auto object = known.lock();
    if (object) return object;
    object = std::make_shared<ObjectByRanges>(
        address, ObjectFacts{.bytes = listed.bytes, .etag = listed.version}, true);
    known = object;
    return object;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<const RemoteObject>> objects_;
};

}  // namespace

std::shared_ptr<const RemoteObject> RemoteObject::open(const std::string& address) {
  if (const auto kept = kept_facts(address)) return std::make_shared<ObjectByRanges>(address, *kept);
  const auto listed = listed_remote_entry(address);
  const bool is_known = listed && listed->kind == RemoteEntry::Kind::file && !listed->version.empty();
  if (is_known && listed->bytes > 0 && listed->bytes <= kListedBytes)
    return OpenObjects::of_process().open(address, *listed);
  return std::make_shared<ObjectByRanges>(address, facts_of_object(address));
}

}  // namespace shardmill::base
