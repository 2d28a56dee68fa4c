// Asks Python what is right: for rules that are taken from programs written in it.
#pragma once

#include <string>
#include <string_view>

#include "support/command_output.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::testing {

/// Everything that the script prints; throws when it fails.
inline std::string python_output(std::string_view script) {
  const TemporaryFolder folder;
  return command_output("/usr/bin/python3 -B " + folder.write("script.py", script));
}

}  // namespace shardmill::testing
