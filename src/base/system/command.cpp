#include "base/system/command.hpp"

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
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <sstream>
#include <string_view>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/system/process.hpp"
#include "base/text/letters.hpp"
#include "base/text/units.hpp"

extern char** environ;

namespace shardmill::base {

namespace {

using BoundedClock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// The longest wait for more output of a program that has ended: programs that it started may hold the pipe.
constexpr milliseconds kAfterItsEnd{200};
// The longest wait for a program that was killed. One that hangs in a driver never dies.
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

/// Starts a program with its output in pipes or files, with the signal handlers that programs expect,
/// and in a process group of its own, so that it can be killed with all that it started.
class ProgramStart {
 public:
  /// Without `in`, the program gets no input; without `err`, it writes to our standard error.
  ProgramStart(const File* in, const File& out, const Pipe* err) {
    ::posix_spawn_file_actions_init(&actions_);
    if (in == nullptr)
      ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    else
      ::posix_spawn_file_actions_adddup2(&actions_, in->descriptor(), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, out.descriptor(), STDOUT_FILENO);
    if (err != nullptr)
      ::posix_spawn_file_actions_adddup2(&actions_, err->writing.descriptor(), STDERR_FILENO);
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

  /// Looks `program` up in PATH and starts it with the words of `command`. Returns the error number, or 0 if
  /// it runs.
  int start(const std::string& program, std::vector<std::string> command, pid_t& child) const {
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (std::string& word : command) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    return ::posix_spawnp(&child, program.c_str(), &actions_, &attributes_, arguments.data(), environ);
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

/// A running program. The destructor kills it with all that it started, unless wait_for_end() has returned.
class Program {
 public:
  explicit Program(pid_t id) : id_(id) {}
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    if (left_alone_) return;
    ::kill(-id_, SIGKILL);
    const auto give_up = BoundedClock::now() + kForItsDeath;
    while (!has_ended() && BoundedClock::now() < give_up) std::this_thread::sleep_for(milliseconds(5));
  }

  bool has_ended() {
    if (ended_) return true;
    const pid_t done = ::waitpid(id_, &status_, WNOHANG);
    is_lost_ = done < 0 && errno == ECHILD;
    ended_ = done == id_ || is_lost_;
    return ended_;
  }
  /// Throws Interrupted if a signal asks this program to stop, and Error if the system lost the exit status.
  void wait_for_end() {
    constexpr std::chrono::microseconds kLongestPause{50'000};
    for (std::chrono::microseconds pause{50}; !has_ended(); pause = std::min(2 * pause, kLongestPause)) {
      check_stop();
      std::this_thread::sleep_for(pause);
    }
    if (is_lost_) throw Error(std::strerror(ECHILD));
    left_alone_ = true;
  }
  int status() const noexcept { return status_; }

 private:
  pid_t id_;
  int status_ = 0;
  bool ended_ = false;
  bool is_lost_ = false;
  bool left_alone_ = false;
};

void append(std::string& text, std::span<const std::byte> bytes) {
  text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void append(std::vector<std::byte>& all, std::span<const std::byte> bytes) {
  all.insert(all.end(), bytes.begin(), bytes.end());
}

/// Reads from each pipe that has data; closes those that have ended.
template <typename Output>
void take_output(std::array<File*, 2> pipes, Output& out, std::string& err, milliseconds pause) {
  std::array<struct pollfd, 2> wanted{};
  for (std::size_t i = 0; i < pipes.size(); ++i) {
    wanted[i].fd = pipes[i]->is_open() ? pipes[i]->descriptor() : -1;
    wanted[i].events = POLLIN;
  }
  if (::poll(wanted.data(), wanted.size(), static_cast<int>(pause.count())) <= 0) return;
  for (std::size_t i = 0; i < pipes.size(); ++i) {
    if (wanted[i].revents == 0) continue;
    std::array<std::byte, 1 << 16> bytes;
    const ssize_t got = ::read(pipes[i]->descriptor(), bytes.data(), bytes.size());
    if (got > 0) {
      const auto taken = std::span(bytes).first(static_cast<std::size_t>(got));
      if (i == 0) {
        append(out, taken);
      } else {
        append(err, taken);
      }
    } else if (got == 0 || errno != EINTR) {
      pipes[i]->close();
    }
  }
}

/// `is_too_much` is asked after each step.
template <typename IsTooMuch>
void follow(Program& program, Pipe& out, Pipe& err, milliseconds limit, IsTooMuch is_too_much,
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
      take_output({&out.reading, &err.reading}, result.out, result.err, kLookInterval);
    } else {
      std::this_thread::sleep_for(milliseconds(2));
    }
    if (is_too_much()) {
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

/// True if the program does not exist. A folder on the PATH that may not be read makes the system answer
/// "permission denied" for every program that is in no other folder.
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

constexpr std::size_t kKeptBytes = std::size_t{32} << 10;  // at each end of standard error

void keep_ends(std::string& err) {
  if (err.size() > 2 * kKeptBytes) err.erase(kKeptBytes, err.size() - 2 * kKeptBytes);
}

/// What a program writes, as far as it is kept.
struct ProgramOutput {
  std::vector<std::byte> out{};
  std::string err{};
  bool is_whole = false;
  bool is_held = false;  // the program has ended, and others that it started still hold the output
};

/// Reads until the output ends, is longer than `limit_bytes`, or the time is over. Programs that hold it
/// after `program` has ended, and write nothing more, are waited for only a little.
ProgramOutput read_output(Program& program, Pipe& out, Pipe& err, std::uint64_t limit_bytes,
                          BoundedClock::time_point deadline) {
  constexpr milliseconds kForOthers{5000};
  ProgramOutput output;
  auto last_change = BoundedClock::now();
  const auto step = [&] {
    check_stop();
    const std::size_t before = output.out.size();
    take_output({&out.reading, &err.reading}, output.out, output.err, kLookInterval);
    keep_ends(output.err);
    if (output.out.size() != before || !program.has_ended()) last_change = BoundedClock::now();
  };
  while (out.reading.is_open() && output.out.size() <= limit_bytes && BoundedClock::now() < deadline &&
         !output.is_held) {
    step();
    output.is_held = BoundedClock::now() >= last_change + kForOthers;
  }
  output.is_whole = !out.reading.is_open();
  if (!output.is_whole) return output;
  const auto give_up = BoundedClock::now() + kAfterItsEnd;
  while (err.reading.is_open() && BoundedClock::now() < give_up) step();
  return output;
}

/// Behind ": " the line on standard error that says why a program failed: the first that sounds so, or the
/// last.
std::string last_words(const std::string& said) {
  constexpr std::size_t kMostBytes = 300;
  constexpr std::array<std::string_view, 7> kSigns{"error", "fail",      "no such",  "cannot",
                                                   "can't", "could not", "not found"};
  std::string_view rest = trimmed(said, " \t\r\n");
  std::string_view line;
  while (!rest.empty()) {
    line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const std::string small = lower(line);
    if (std::ranges::any_of(kSigns, [&](auto sign) { return small.find(sign) != small.npos; })) break;
  }
  return line.empty() ? "" : ": " + printable(line.substr(0, kMostBytes));
}

/// Returns 0 if the program runs, and otherwise the error number. Throws if the machine fails.
int start_program(const ProgramStart& start, const std::string& program, std::vector<std::string> command,
                  const std::string& name, pid_t& child) {
  const int error = start.start(program, std::move(command), child);
  errno = error;
  if (error != 0 && is_machine_failure(error)) throw system_error("cannot run", name);
  return error;
}

/// Runs a command so that a pipeline fails when any of its programs does. That takes bash; other shells know
/// only how the last program ended.
struct Shell {
  static constexpr const char* kBash = "/bin/bash";
  bool is_bash = ::access(kBash, X_OK) == 0;

  const char* program() const { return is_bash ? kBash : "/bin/sh"; }
  std::vector<std::string> arguments(const std::string& command) const {
    if (is_bash) return {"bash", "-o", "pipefail", "-c", command};
    return {"sh", "-c", command};
  }
  /// Bash reports this when a program of a pipeline could not write on, because the next one needed no more.
  bool is_early_end(int status) const { return is_bash && WEXITSTATUS(status) == 128 + SIGPIPE; }
};

/// Returns nullopt if the output is longer than `limit_bytes` or the time is over.
std::optional<std::vector<std::byte>> shell_output(const std::string& command, std::uint64_t limit_bytes,
                                                   BoundedClock::time_point deadline) {
  Pipe out(command);
  Pipe err(command);
  pid_t child = 0;
  const Shell shell;
  const int error = start_program(ProgramStart(nullptr, out.writing, &err), shell.program(),
                                  shell.arguments(command), command, child);
  if (error != 0) throw Error(fmt::format("cannot be run: {}", std::strerror(error)), at(command));
  Program program(child);
  out.writing.close();
  err.writing.close();
  ProgramOutput output = read_output(program, out, err, limit_bytes, deadline);
  if (output.is_held && !output.is_whole)
    throw Error("has ended, but a program that it left in the background may still write to its output",
                at(command), "let that program write elsewhere, as with >/dev/null");
  if (!output.is_whole) return std::nullopt;
  program.wait_for_end();
  const int status = program.status();
  if (WIFSIGNALED(status))
    throw Error(fmt::format("was ended by signal {}{}", WTERMSIG(status), last_words(output.err)),
                at(command));
  if (WEXITSTATUS(status) != 0 && !shell.is_early_end(status))
    throw Error(fmt::format("failed with exit status {}{}", WEXITSTATUS(status), last_words(output.err)),
                at(command));
  std::fwrite(output.err.data(), 1, output.err.size(), stderr);
  return std::move(output.out);
}

}  // namespace

std::vector<std::byte> output_of(const std::string& command, std::uint64_t limit_bytes) {
  auto bytes = shell_output(command, limit_bytes, BoundedClock::time_point::max());
  if (!bytes || bytes->size() > limit_bytes)
    throw Error(fmt::format("writes more than {} bytes", limit_bytes), at(command));
  return std::move(*bytes);
}

std::optional<std::vector<std::byte>> output_if_soon(const std::string& command, milliseconds limit,
                                                     std::uint64_t limit_bytes) {
  return shell_output(command, limit_bytes, BoundedClock::now() + limit);
}

CommandResult run_bounded(const std::vector<std::string>& command, milliseconds limit,
                          std::uint64_t limit_bytes) {
  CommandResult result;
  Pipe out(command.front());
  Pipe err(command.front());
  pid_t child = 0;
  const int error = start_program(ProgramStart(nullptr, out.writing, &err), command.front(), command,
                                  command.front(), child);
  if (error != 0) {
    result.end =
        is_missing(command.front(), error) ? CommandResult::End::missing : CommandResult::End::not_started;
    result.problem = std::strerror(error);
    return result;
  }
  Program program(child);
  out.writing.close();
  err.writing.close();
  follow(
      program, out, err, limit, [&] { return result.out.size() + result.err.size() > limit_bytes; }, result);
  return result;
}

CommandResult run_between(const std::vector<std::string>& command, const File& in, const File& out,
                          milliseconds limit, std::uint64_t limit_bytes) {
  CommandResult result;
  Pipe unused(command.front());
  Pipe err(command.front());
  unused.reading.close();
  pid_t child = 0;
  const int error =
      start_program(ProgramStart(&in, out, &err), command.front(), command, command.front(), child);
  if (error != 0) {
    result.end =
        is_missing(command.front(), error) ? CommandResult::End::missing : CommandResult::End::not_started;
    result.problem = std::strerror(error);
    return result;
  }
  Program program(child);
  err.writing.close();
  const auto is_too_much = [&] {
    keep_ends(result.err);
    return out.size() > limit_bytes;
  };
  follow(program, unused, err, limit, is_too_much, result);
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

namespace {

/// Whether an executable file of this name is on the PATH, or at this path.
bool is_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return ::access(name.c_str(), X_OK) == 0;
  const char* const path = std::getenv("PATH");
  if (path == nullptr) return true;  // The system has a default.
  std::string_view rest = path;
  for (;;) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string folder = end == 0 ? std::string(".") : std::string(rest.substr(0, end));
    if (::access((folder + "/" + name).c_str(), X_OK) == 0) return true;
    if (end == rest.size()) return false;
    rest.remove_prefix(end + 1);
  }
}

/// Words of the shell's own, of any POSIX shell.
bool is_of_the_shell(std::string_view word) {
  constexpr std::string_view kWords =
      " . : alias bg break case cd command continue do done echo elif else esac eval exec exit export false "
      "fc fg fi "
      "for getopts hash if jobs kill local printf pwd read readonly return set shift test then time times "
      "trap true "
      "type ulimit umask unalias unset until wait while ";
  return kWords.find(fmt::format(" {} ", word)) != std::string_view::npos;
}

}  // namespace

std::vector<std::string> relative_paths_in(const std::string& command) {
  constexpr const char* kSeparators = " \t\"'|<>;&()";
  std::vector<std::string> words;
  for (std::size_t begin = command.find_first_not_of(kSeparators); begin != command.npos;) {
    const std::size_t end = std::min(command.find_first_of(kSeparators, begin), command.size());
    const std::string word = command.substr(begin, end - begin);
    const bool is_name = word.find_first_of("./") != word.npos && word.find_first_of("$*?`\\") == word.npos;
    if (is_name && word.front() != '/' && word.front() != '-') words.push_back(word);
    begin = command.find_first_not_of(kSeparators, end);
  }
  return words;
}

namespace {

constexpr std::string_view kQuoteInQuotes = "'\\''";

std::string in_quotes(std::string_view word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? kQuoteInQuotes : std::string_view(&c, 1);
  return text + "'";
}

}  // namespace

std::string shell_quoted(std::string_view word) {
  constexpr std::string_view kHarmless =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:,+@%";
  const bool is_plain = !word.empty() && word.find_first_not_of(kHarmless) == word.npos;
  return is_plain ? std::string(word) : in_quotes(word);
}

std::string run_from_folder(const std::string& command, const std::string& folder) {
  return fmt::format("cd -- {} && {}", in_quotes(folder), command);
}

std::vector<std::string> first_arguments(const std::string& command) {
  std::vector<std::string> words;
  if (command.find_first_of("'\"\\`;&(){}<>$*?[]#~=\n") != command.npos || command.find("||") != command.npos)
    return words;
  std::istringstream first_part(command.substr(0, command.find('|')));
  std::string word;
  first_part >> word;
  const bool is_of_shell = is_of_the_shell(word);
  while (!is_of_shell && first_part >> word) words.push_back(word);
  return words;
}

namespace {

/// The folder of run_from_folder(), with a slash, and the command that runs there; empty and `command` for
/// another command.
std::pair<std::string, std::string> parts_of(const std::string& command) {
  constexpr std::string_view kInFolder = "cd -- '";
  constexpr std::string_view kThen = "' && ";
  std::string folder;
  std::size_t at = kInFolder.size();
  if (!command.starts_with(kInFolder)) return {"", command};
  while (at < command.size() && command.compare(at, kThen.size(), kThen) != 0) {
    const bool is_quote = command.compare(at, kQuoteInQuotes.size(), kQuoteInQuotes) == 0;
    folder += command[at];
    at += is_quote ? kQuoteInQuotes.size() : 1;
  }
  if (at >= command.size()) return {"", command};
  return {folder + "/", command.substr(at + kThen.size())};
}

}  // namespace

std::vector<std::string> files_read_by(const std::string& command) {
  const auto [folder, own] = parts_of(command);
  std::vector<std::string> files;
  for (const std::string& word : first_arguments(own)) {
    const std::string path = word.starts_with('/') ? word : folder + word;
    if (!word.starts_with('-') && exists(path) && !is_folder(path)) files.push_back(path);
  }
  return files;
}

std::vector<std::string> missing_programs(const std::string& command) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./@";
  std::vector<std::string> missing;
  std::string_view rest = command;
  // A | in quotes or behind || begins no part, and of several commands only the first is looked at.
  if (rest.find_first_of("'\"\\`;&(){}<\n") != std::string_view::npos ||
      rest.find("||") != std::string_view::npos)
    rest = rest.substr(0, std::min(rest.find('|'), rest.size()));
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('|'), rest.size());
    std::string_view part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    part.remove_prefix(std::min(part.find_first_not_of(" \t"), part.size()));
    const std::string word(part.substr(0, part.find_first_of(" \t")));
    if (word.empty() || word.find_first_not_of(kPlain) != std::string::npos || is_of_the_shell(word))
      continue;
    if (!is_program(word)) missing.push_back(word);
  }
  return missing;
}

}  // namespace shardmill::base
