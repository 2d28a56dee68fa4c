#include "base/system/bounded_command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>

#include "base/error.hpp"
#include "base/fatal_error.hpp"
#include "base/io/file.hpp"
#include "base/system/stop_signal.hpp"
#include "base/text/units.hpp"

extern char** environ;

namespace shardmill::base {

namespace {

using BoundedClock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// How long the output of a program that has ended is still waited for: what it started may hold the pipe.
constexpr milliseconds kAfterItsEnd{200};
// A program that was killed is waited for so long. One that hangs in a driver never dies.
constexpr milliseconds kForItsDeath{2000};
constexpr milliseconds kLookInterval{50};

struct Pipe {
  explicit Pipe(const std::string& name) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw system_error("cannot make a pipe", name);
    reading = File(ends[0], name);
    writing = File(ends[1], name);
  }
  File reading;
  File writing;
};

/// How a program is started: without input, with its output in two pipes, with signals as programs expect
/// them, and in a process group of its own, so that all of it can be killed.
class ProgramStart {
 public:
  ProgramStart(const Pipe& out, const Pipe& err) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions_, out.writing.descriptor(), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, err.writing.descriptor(), STDERR_FILENO);
    ::posix_spawnattr_init(&attributes_);
    sigset_t signals;
    ::sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&attributes_, &signals);
    for (const int number : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGXFSZ}) ::sigaddset(&signals, number);
    ::posix_spawnattr_setsigdefault(&attributes_, &signals);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ProgramStart(const ProgramStart&) = delete;
  ProgramStart& operator=(const ProgramStart&) = delete;
  ~ProgramStart() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  /// The error number; 0: it runs.
  int start(std::vector<std::string> command, pid_t& child) const {
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (std::string& word : command) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    return ::posix_spawnp(&child, arguments.front(), &actions_, &attributes_, arguments.data(), environ);
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

/// A running program. The destructor kills it with all that it started.
class Program {
 public:
  explicit Program(pid_t id) : id_(id) {}
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    ::kill(-id_, SIGKILL);
    const auto give_up = BoundedClock::now() + kForItsDeath;
    while (!has_ended() && BoundedClock::now() < give_up) std::this_thread::sleep_for(milliseconds(5));
  }

  bool has_ended() {
    if (ended_) return true;
    const pid_t done = ::waitpid(id_, &status_, WNOHANG);
    ended_ = done == id_ || (done < 0 && errno == ECHILD);
    return ended_;
  }
  int status() const noexcept { return status_; }

 private:
  pid_t id_;
  int status_ = 0;
  bool ended_ = false;
};

/// Takes what is there from each pipe that has something; closes those that have ended.
void take_output(std::array<File*, 2> pipes, std::array<std::string*, 2> texts, milliseconds pause) {
  std::array<struct pollfd, 2> wanted{};
  for (std::size_t i = 0; i < pipes.size(); ++i) {
    wanted[i].fd = pipes[i]->is_open() ? pipes[i]->descriptor() : -1;
    wanted[i].events = POLLIN;
  }
  if (::poll(wanted.data(), wanted.size(), static_cast<int>(pause.count())) <= 0) return;
  for (std::size_t i = 0; i < pipes.size(); ++i) {
    if (wanted[i].revents == 0) continue;
    std::array<char, 1 << 14> bytes{};
    const ssize_t got = ::read(pipes[i]->descriptor(), bytes.data(), bytes.size());
    if (got > 0) {
      texts[i]->append(bytes.data(), static_cast<std::size_t>(got));
    } else if (got == 0 || errno != EINTR) {
      pipes[i]->close();
    }
  }
}

void follow(Program& program, Pipe& out, Pipe& err, milliseconds limit, std::uint64_t limit_bytes,
            CommandResult& result) {
  auto deadline = BoundedClock::now() + limit;
  bool seen_its_end = false;
  for (;;) {
    check_stop();
    if (!seen_its_end && program.has_ended()) {
      seen_its_end = true;
      deadline = BoundedClock::now() + kAfterItsEnd;
    }
    const bool has_output = out.reading.is_open() || err.reading.is_open();
    if (seen_its_end && !has_output) break;
    if (BoundedClock::now() >= deadline) break;
    if (has_output) {
      take_output({&out.reading, &err.reading}, {&result.out, &result.err}, kLookInterval);
    } else {
      std::this_thread::sleep_for(milliseconds(2));
    }
    if (result.out.size() + result.err.size() > limit_bytes) {
      result.end = CommandResult::End::too_much_output;
      return;
    }
  }
  if (!seen_its_end) {
    result.end = CommandResult::End::out_of_time;
  } else if (WIFSIGNALED(program.status())) {
    result.end = CommandResult::End::killed;
    result.code = WTERMSIG(program.status());
  } else {
    result.end = CommandResult::End::exited;
    result.code = WEXITSTATUS(program.status());
  }
}

/// A folder on the PATH that may not be read says "permission denied" of every program that is nowhere else.
bool is_missing(const std::string& program, int error) {
  if (error == ENOENT || error == ENOTDIR) return true;
  if (error != EACCES || program.find('/') != std::string::npos) return false;
  const char* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (::access(fmt::format("{}/{}", rest.substr(0, end), program).c_str(), F_OK) == 0) return false;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return true;
}

}  // namespace

CommandResult run_bounded(const std::vector<std::string>& command, milliseconds limit,
                          std::uint64_t limit_bytes) {
  CommandResult result;
  Pipe out(command.front());
  Pipe err(command.front());
  pid_t child = 0;
  const int error = ProgramStart(out, err).start(command, child);
  errno = error;
  if (error != 0 && is_machine_failure(error)) throw system_error("cannot run", command.front());
  if (error != 0) {
    result.end =
        is_missing(command.front(), error) ? CommandResult::End::missing : CommandResult::End::not_started;
    result.problem = std::strerror(error);
    return result;
  }
  Program program(child);
  out.writing.close();
  err.writing.close();
  follow(program, out, err, limit, limit_bytes, result);
  return result;
}

std::string ending(const CommandResult& result, milliseconds limit) {
  switch (result.end) {
    case CommandResult::End::exited:
      return result.code == 0 ? "ended well" : fmt::format("failed with exit status {}", result.code);
    case CommandResult::End::killed:
      return fmt::format("was ended by signal {} ({})", result.code, ::strsignal(result.code));
    case CommandResult::End::missing:
      return "was not found";
    case CommandResult::End::not_started:
      return fmt::format("could not be started: {}", result.problem);
    case CommandResult::End::too_much_output:
      return "wrote without an end";
    case CommandResult::End::out_of_time:
      break;
  }
  return fmt::format("gave no answer in {}", format_elapsed(static_cast<double>(limit.count()) / 1000));
}

}  // namespace shardmill::base
