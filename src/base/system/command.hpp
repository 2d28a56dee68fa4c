// Runs other programs for their output.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/io/file.hpp"

namespace shardmill::base {

/// Returns the bytes that `sh -c command` writes to its standard output. The command gets no input. What it
/// writes to its standard error goes to ours, or where it fails, the last line into the Error. Throws Error
/// if it cannot be run, fails, or writes more than `limit_bytes`. Thread-safe.
std::vector<std::byte> output_of(const std::string& command, std::uint64_t limit_bytes);

/// The same, for a look: nullopt if it takes longer than `limit` or writes more, and is killed.
std::optional<std::vector<std::byte>> output_if_soon(const std::string& command,
                                                     std::chrono::milliseconds limit,
                                                     std::uint64_t limit_bytes);

/// Programs that `sh -c command` would start and that do not exist: the first word of each part of a pipe,
/// where it is a plain name or path. What the shell itself knows, or has to work out first, is left out.
std::vector<std::string> missing_programs(const std::string& command);

/// The words of a command that look like relative paths.
std::vector<std::string> relative_paths_in(const std::string& command);

/// The words behind the program with which a pipe begins, where the shell takes all of the command as it is
/// written: files that it reads are among them.
std::vector<std::string> first_arguments(const std::string& command);

/// A word as a shell takes it, in quotes where that is needed.
std::string shell_quoted(std::string_view word);

/// A command that runs another one in `folder`.
std::string run_from_folder(const std::string& command, const std::string& folder);

/// The files among the first_arguments() of a command, which may be one of run_from_folder().
std::vector<std::string> files_read_by(const std::string& command);

/// How a program ended, and its output until then.
struct CommandResult {
  enum class End { exited, killed, missing, not_started, out_of_time, too_much_output };

  End end = End::missing;
  int code = 0;         // the exit status, or the signal that ended it
  std::string problem;  // why it could not be started
  std::string out;
  std::string err;

  bool is_good() const noexcept { return end == End::exited && code == 0; }
};

/// Runs `command` without input; its first word is looked up in PATH. If it takes longer than `limit` or
/// writes more than `limit_bytes`, it is killed with everything it started. A program that hangs inside the
/// kernel and does not die is left behind. Throws Error if the machine fails, and Interrupted if a signal
/// asks this program to stop. Thread-safe.
CommandResult run_bounded(const std::vector<std::string>& command, std::chrono::milliseconds limit,
                          std::uint64_t limit_bytes);

/// The same with standard input from the start of `in`, and standard output into `out`; both may be opened
/// again by the program as /dev/fd/0 and /dev/fd/1. `limit_bytes` is for `out`; of standard error the
/// beginning and the end are kept.
CommandResult run_between(const std::vector<std::string>& command, const File& in, const File& out,
                          std::chrono::milliseconds limit, std::uint64_t limit_bytes);

/// Describes the end of a command that failed: "failed with exit status 9", "gave no answer in 60 s".
std::string ending(const CommandResult& result, std::chrono::milliseconds limit);

}  // namespace shardmill::base
