#include "base/system/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/reporter.hpp"
#include "base/text/units.hpp"

namespace shardmill::base {

void open_standard_streams() {
  for (const int number : std::array{STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(number, F_GETFD) != -1 || errno != EBADF) continue;
    // Results must not vanish without an error: writing to standard output must still fail.
    const int mode = number == STDOUT_FILENO ? O_RDONLY : O_RDWR;
    // open() returns the lowest free number, which is the missing one. No O_CLOEXEC: children inherit it like
    // the others.
    if (::open("/dev/null", mode) != number) throw system_error("cannot open", "/dev/null");
  }
}

void write_to_standard_error(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t put = ::write(STDERR_FILENO, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
}

void silence_libraries() noexcept {
  // glibc allows us to replace its streams.
  if (std::FILE* const nowhere = std::fopen("/dev/null", "we"); nowhere != nullptr) stderr = nowhere;
}

namespace {

// A wait is cut into pieces of this length, because another thread may get the signal.
constexpr int kLongestUnheardMilliseconds = 100;

// Written by the signal handler on any thread, and read by all threads. The handler may touch nothing else.
std::atomic<int> stop_signal_number = 0;
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void remember_signal(int number) {
  stop_signal_number = number;
}

}  // namespace

void install_stop_signals() {
  struct sigaction action {};
  action.sa_handler = remember_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int number : std::array{SIGINT, SIGTERM, SIGHUP}) ::sigaction(number, &action, nullptr);
  for (const int number : std::array{SIGPIPE, SIGXFSZ}) std::signal(number, SIG_IGN);
}

int stop_signal() noexcept {
  return stop_signal_number;
}

void check_stop() {
  if (const int number = stop_signal(); number != 0) throw Interrupted(number);
}

void wait_readable(int descriptor) {
  struct pollfd wanted {};
  wanted.fd = descriptor;
  wanted.events = POLLIN;
  // If poll() itself fails, the read that follows reports it.
  for (;;) {
    const int ready = ::poll(&wanted, 1, kLongestUnheardMilliseconds);
    if (ready > 0 || (ready < 0 && errno != EINTR)) return;
    check_stop();
  }
}

namespace {

/// Threads that wait until the destructor ends them.
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

  /// Starts one more thread. Returns the system's error if that fails.
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
    throw Error(fmt::format("cannot start {}: the system started {} and then reported: {}",
                            format_count(count, "thread"), started, failure->message()),
                {}, "raise the limit: ulimit -u", Remedy::fewer_threads);
  }
}

// If they are not set, glibc raises both limits when large blocks are freed.
void give_back_freed_memory() noexcept {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 16 << 20);
  // Threads that wait for servers need none of their own.
  mallopt(M_ARENA_MAX, static_cast<int>(std::max(2U, std::thread::hardware_concurrency())));
#endif
}

}  // namespace shardmill::base
