#include "pipeline/intake/idle_threads.hpp"

#include <tbb/task_arena.h>

#include <utility>

namespace shardmill::pipeline {

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
