#include "pipeline/workers.hpp"

#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>
#include <tbb/version.h>

#include <algorithm>

#include "base/system/threads.hpp"

namespace shardmill::pipeline {

namespace {

struct Countdown {
  std::atomic<std::size_t>& left;
  ~Countdown() { --left; }
};

}  // namespace

struct Workers::Impl {
  explicit Impl(unsigned threads)
      : limit(tbb::global_control::max_allowed_parallelism, threads), arena(static_cast<int>(threads)) {
    base::check_threads(threads - 1);
  }

  tbb::global_control limit;
  tbb::task_arena arena;
};

Workers::Workers(unsigned threads, std::uint64_t memory_bytes)
    : threads_(std::max(1U, threads)), memory_bytes_(memory_bytes), impl_(std::make_unique<Impl>(threads_)) {}

Workers::~Workers() = default;

std::size_t Workers::items_in_flight(std::uint64_t item_bytes) const noexcept {
  const std::uint64_t wanted = 2 * std::uint64_t{threads_} + 2;
  const std::uint64_t sharers = std::clamp<std::uint64_t>(unfinished_, 1, threads_);
  const std::uint64_t affordable = memory_bytes_ / sharers / std::max<std::uint64_t>(1, item_bytes);
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(affordable, 1, wanted));
}

void Workers::run(const std::function<void()>& work) {
  impl_->arena.execute(work);
}

void Workers::for_each(std::size_t count, const std::function<void(std::size_t)>& work,
                       std::uint64_t item_bytes) {
  // A pipeline rather than parallel_for: it begins the items in order, so that what is done first is what was
  // named first. Each item is isolated: a thread that waits inside one never begins another on top of it.
  const std::uint64_t affordable = item_bytes == 0 ? threads_ : memory_bytes_ / item_bytes;
  std::size_t next = 0;
  unfinished_ = count;
  const auto feed = [&](tbb::flow_control& flow) {
    if (next == count) flow.stop();
    return next++;
  };
  const auto isolated = [&](std::size_t index) {
    const Countdown countdown{unfinished_};
    tbb::this_task_arena::isolate([&] { work(index); });
  };
  run([&] {
    tbb::parallel_pipeline(std::clamp<std::uint64_t>(affordable, 1, threads_),
                           tbb::make_filter<void, std::size_t>(tbb::filter_mode::serial_in_order, feed) &
                               tbb::make_filter<std::size_t, void>(tbb::filter_mode::parallel, isolated));
  });
}

std::string tbb_version() {
  return TBB_runtime_version();
}

}  // namespace shardmill::pipeline
