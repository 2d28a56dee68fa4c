// Runs another program for what it prints, and never waits for it longer than it may take.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace shardmill::base {

/// How a program ended, and what it had written until then.
struct CommandResult {
  enum class End { exited, killed, missing, not_started, out_of_time, too_much_output };

  End end = End::missing;
  int code = 0;         // the exit status, or the signal that ended it
  std::string problem;  // why it could not be started
  std::string out;
  std::string err;

  bool is_good() const noexcept { return end == End::exited && code == 0; }
};

/// Runs `command`, whose first word is looked up in PATH, without input. When it takes longer than
/// `limit` or writes more than `limit_bytes`, it and everything it started are killed. A program that does
/// not die, because it hangs inside the kernel, is left behind. Throws Error when the machine fails, and
/// Interrupted when a signal asks this program to stop. Thread-safe.
CommandResult run_bounded(const std::vector<std::string>& command, std::chrono::milliseconds limit,
                          std::uint64_t limit_bytes);

/// "failed with exit status 9", "gave no answer in 60 s": how a command ended that is not good.
std::string ending(const CommandResult& result, std::chrono::milliseconds limit);

}  // namespace shardmill::base
