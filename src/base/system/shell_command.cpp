#include "base/system/shell_command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <span>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/fatal_error.hpp"
#include "base/io/file.hpp"
#include "base/system/stop_signal.hpp"

extern char** environ;

namespace shardmill::base {

namespace {

Error failure(const std::string& command, const std::string& problem) {
  return Error(problem, at(command));
}

/// How the command is started: its output goes into the pipe, it has no input, and signals are as a shell
/// expects them.
class SpawnSettings {
 public:
  explicit SpawnSettings(int output) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    ::posix_spawnattr_init(&attributes_);
    sigset_t signals;
    ::sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&attributes_, &signals);
    ::sigaddset(&signals, SIGPIPE);
    ::sigaddset(&signals, SIGINT);
    ::sigaddset(&signals, SIGTERM);
    ::sigaddset(&signals, SIGXFSZ);
    ::posix_spawnattr_setsigdefault(&attributes_, &signals);
    // Its own process group, so that everything in it can be ended.
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  pid_t start(const std::string& command) const {
    std::string text = command;
    std::string shell = "sh";
    std::string flag = "-c";
    std::array<char*, 4> arguments{shell.data(), flag.data(), text.data(), nullptr};
    pid_t child = 0;
    const int error = ::posix_spawn(&child, "/bin/sh", &actions_, &attributes_, arguments.data(), environ);
    errno = error;
    if (is_machine_failure(error)) throw system_error("cannot run", command);
    if (error != 0) throw failure(command, fmt::format("cannot be run: {}", std::strerror(error)));
    return child;
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

/// A running command: its shell and everything the shell started. The destructor ends them unless wait() saw
/// the end.
class Child {
 public:
  explicit Child(pid_t shell) : shell_(shell) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (is_done_) return;
    ::kill(-shell_, SIGKILL);
    while (::waitpid(shell_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

  /// Waits for the exit status. The command has closed its output but may still run: throws Interrupted when
  /// a signal asks the program to stop meanwhile.
  int wait() {
    constexpr std::chrono::microseconds kLongestPause{50'000};
    std::chrono::microseconds pause{50};
    int status = 0;
    for (;;) {
      const pid_t done = ::waitpid(shell_, &status, WNOHANG);
      if (done == shell_) break;
      if (done < 0 && errno != EINTR) throw Error(std::strerror(errno));
      check_stop();
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, kLongestPause);
    }
    is_done_ = true;
    return status;
  }

 private:
  pid_t shell_;
  bool is_done_ = false;
};

std::vector<std::byte> read_all(File& pipe, std::uint64_t limit_bytes) {
  std::vector<std::byte> bytes;
  for (std::size_t chunk = 1 << 16;; chunk = std::max(chunk, bytes.size())) {
    const std::size_t before = bytes.size();
    bytes.resize(before + chunk);
    const std::size_t got = pipe.read(std::span(bytes).subspan(before));
    bytes.resize(before + got);
    if (got < chunk || bytes.size() > limit_bytes) return bytes;
  }
}

}  // namespace

std::vector<std::byte> output_of(const std::string& command, std::uint64_t limit_bytes) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw system_error("cannot make a pipe", command);
  File reading(ends[0], command);
  File writing(ends[1], command);
  Child child(SpawnSettings(writing.descriptor()).start(command));
  writing.close();
  std::vector<std::byte> bytes = read_all(reading, limit_bytes);
  if (bytes.size() > limit_bytes)
    throw failure(command, fmt::format("writes more than {} bytes", limit_bytes));
  reading.close();
  const int status = child.wait();
  if (WIFSIGNALED(status)) throw failure(command, fmt::format("was ended by signal {}", WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0)
    throw failure(command, fmt::format("failed with exit status {}", WEXITSTATUS(status)));
  return bytes;
}

}  // namespace shardmill::base
