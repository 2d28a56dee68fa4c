#include "base/system/threads.hpp"

#include <fmt/format.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/text/units.hpp"

namespace shardmill::base {

namespace {

/// Threads that do nothing until they are let go.
class IdleThreads {
 public:
  IdleThreads() = default;
  IdleThreads(const IdleThreads&) = delete;
  IdleThreads& operator=(const IdleThreads&) = delete;
  ~IdleThreads() {
    {
      const std::lock_guard lock(mutex_);
      let_go_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  /// Starts one more thread. The result is the system's error when that fails.
  std::optional<std::error_code> start_one() {
    try {
      threads_.emplace_back([this] {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return let_go_; });
      });
    } catch (const std::system_error& failure) {
      return failure.code();
    }
    return std::nullopt;
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool let_go_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace

void check_threads(unsigned count) {
  IdleThreads idle;
  for (unsigned started = 0; started < count; ++started) {
    const auto failure = idle.start_one();
    if (!failure) continue;
    throw Error(fmt::format("cannot start {}: the system gave {} and then said: {}",
                            format_count(count, "thread"), started, failure->message()),
                {}, "raise the limit: ulimit -u", Remedy::fewer_threads);
  }
}

}  // namespace shardmill::base
