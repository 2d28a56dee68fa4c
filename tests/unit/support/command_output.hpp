// Runs a shell command: for tests that ask another program what is right.
#pragma once

#include <array>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace shardmill::testing {

/// Everything the command prints on standard output; throws when it fails.
inline std::string command_output(const std::string& command) {
  FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  std::string output;
  std::array<char, 4096> buffer;
  for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    output.append(buffer.data(), got);
  }
  if (::pclose(pipe) != 0) throw std::runtime_error("failed: " + command);
  return output;
}

}  // namespace shardmill::testing
