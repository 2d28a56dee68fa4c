// repair: what it is asked for, and what came of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "check/repair_plan.hpp"

namespace shardmill::repair {

struct RepairOptions {
  std::string folder;
  bool dry_run = false;
  bool allow_commands = false;  // that a corpus names instead of audio files
  std::string command;          // the command line, for the lock
};

struct RepairSummary {
  struct File {
    std::string name;  // relative to the folder
    check::RepairFrom from{};
  };

  std::vector<File> repaired;                 // with dry_run: that would be
  std::map<std::string, std::string> beyond;  // what is still missing or damaged, and why
  std::uint64_t files = 0;                    // that were looked at
  std::uint64_t bytes = 0;                    // of them
  double seconds = 0;
};

}  // namespace shardmill::repair
