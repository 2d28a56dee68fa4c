// Runs a command as the command line does, without progress.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/command.hpp"

namespace shardmill::cli {

struct Ran {
  int code = -1;
  std::string out;  // standard output
};

/// Throws what the command throws.
inline Ran run_command(std::string_view name, std::vector<std::string> arguments) {
  const Command& command = find_command(name);
  CommandLine line = options_of(command);
  arguments.insert(arguments.end(), {"--progress", "none", "--threads", "1"});
  line.parse(arguments);
  ::testing::internal::CaptureStdout();
  Ran ran;
  try {
    ran.code = command.run(line);
  } catch (...) {
    ::testing::internal::GetCapturedStdout();
    throw;
  }
  ran.out = ::testing::internal::GetCapturedStdout();
  return ran;
}

}  // namespace shardmill::cli
