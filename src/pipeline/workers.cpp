#include "pipeline/workers.hpp"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/version.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/system/process.hpp"
#include "pipeline/ordered.hpp"

namespace shardmill::pipeline {

namespace {

struct Countdown {
  std::atomic<std::size_t>& left;
  ~Countdown() { --left; }
};

/// Whether oneTBB failed to start a thread. From then on it waits forever where threads are asked for or sent
/// away, in the whole process.
std::atomic<bool>& could_not_start_threads() {
  static std::atomic<bool> could_not = false;
  return could_not;
}

}  // namespace

bool Workers::may_use_threads() {
  static const pid_t first = ::getpid();
  return ::getpid() == first;
}

struct Workers::Impl {
  explicit Impl(unsigned threads)
      : limit(tbb::global_control::max_allowed_parallelism, threads), arena(static_cast<int>(threads)) {
    base::check_threads(threads - 1);
  }

  /// oneTBB keeps an arena that is left while a thread is still on its way to it, until one comes. Where
  /// arenas end faster than threads come, thousands stay. While no threads are allowed it asks for none, and
  /// lets go of the arena at once.
  ~Impl() {
    if (could_not_start_threads()) return;
    const tbb::global_control none(tbb::global_control::max_allowed_parallelism, 1);
    arena.terminate();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  tbb::global_control limit;
  tbb::task_arena arena;
};

Workers::Workers(unsigned threads, std::uint64_t memory_bytes, MemoryBound bound)
    : threads_(may_use_threads() ? std::max(1U, threads) : 1),
      memory_bytes_(memory_bytes),
      memory_bound_(bound),
      impl_(may_use_threads() ? std::make_unique<Impl>(threads_) : nullptr) {}

Workers::~Workers() {
  // Those of the other process are left alone.
  if (!may_use_threads()) (void)impl_.release();
}

std::uint64_t Workers::memory_share() const noexcept {
  return memory_bytes_ / std::clamp<std::uint64_t>(unfinished_, 1, threads_);
}

std::size_t Workers::items_in_flight(std::uint64_t item_bytes) const noexcept {
  const std::uint64_t wanted = 2 * std::uint64_t{threads_} + 2;
  const std::uint64_t affordable = memory_share() / std::max<std::uint64_t>(1, item_bytes);
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(affordable, 1, wanted));
}

void Workers::run(const std::function<void()>& work) {
  if (!may_use_threads()) return work();
  try {
    impl_->arena.execute(work);
  } catch (const Error&) {
    throw;  // of the work
  } catch (const std::exception&) {
    could_not_start_threads() = true;  // perhaps: its own exceptions have no type of their own
    throw;
  }
}

void Workers::for_each(std::size_t count, const std::function<void(std::size_t)>& work,
                       std::uint64_t item_bytes) {
  // This is no parallel_for: the items begin in order, so that those named first are done first. Each item
  // is isolated: a thread that waits inside one never begins another on top of it.
  const std::uint64_t affordable = item_bytes == 0 ? threads_ : memory_bytes_ / item_bytes;
  ByteBudget unbounded(std::numeric_limits<std::uint64_t>::max());
  std::size_t next = 0;
  unfinished_ = count;
  const auto feed = [&]() -> std::optional<Costly<std::size_t>> {
    if (next == count) return std::nullopt;
    return Costly<std::size_t>{.item = next++};
  };
  const auto isolated = [&](std::size_t index) {
    const Countdown countdown{unfinished_};
    if (!may_use_threads()) return work(index);
    tbb::this_task_arena::isolate([&] { work(index); });
  };
  const auto items = static_cast<std::size_t>(std::clamp<std::uint64_t>(affordable, 1, threads_));
  run_ordered<std::size_t>({.items = items, .budget = unbounded}, *this, feed, on_all_threads(isolated));
}

std::string tbb_version() {
  return TBB_runtime_version();
}

namespace {

// The rest of the memory is for samples on their way.
constexpr std::uint64_t kShareOfMemory = 4;

}  // namespace

IdleThreads::IdleThreads(const Workers& workers)
    : most_ahead_(workers.threads() > 1 ? 2 * std::size_t{workers.threads()} : 1),
      limit_bytes_(workers.memory_bytes() / kShareOfMemory) {}

bool IdleThreads::take(std::uint64_t bytes) {
  std::uint64_t taken = taken_bytes_.load();
  while (taken + bytes <= limit_bytes_) {
    if (taken_bytes_.compare_exchange_weak(taken, taken + bytes)) return true;
  }
  return false;
}

void IdleThreads::start(std::function<void()> work) {
  if (!Workers::may_use_threads()) return work();
  tbb::task_arena arena(tbb::task_arena::attach{});
  arena.enqueue(std::move(work));
}

}  // namespace shardmill::pipeline
